package dev.howdah.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Payloads as Erlang has written them, and all others. */
class MsgpackValueTest {
    private static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex.replace(" ", ""));
    }

    private static Map<Integer, Object> value(byte[] payload) {
        ThriftWriter to = new ThriftWriter();
        MsgpackValue.write(payload, to);
        ThriftReader reader = new ThriftReader(to.end().bytes());
        Map<Integer, Object> value = reader.struct();
        assertThat(reader.isAtEnd()).isTrue();
        return value;
    }

    private static Map<Integer, Object> value(String hex) {
        return value(bytes(hex));
    }

    @Test
    void term_thatIsAValue_isThatValue() {
        // term_to_binary({bin, <<"abc">>}), with either kind of atom
        assertThat(value("83 6802 640003 62696e 6d00000003 616263")).isEqualTo(Map.of(6, "abc"));
        assertThat(value("83 6802 7703 62696e 6d00000003 616263")).isEqualTo(Map.of(6, "abc"));
        // {nl, {mg_msgpack_Nil}}, {b, true}, {i, 5}, {i, -1}, {i, 16#123456789A}, {flt, 1.5}, {str, <<"x">>}
        assertThat(value("83 6802 77026e6c 6801 770e 6d675f6d73677061636b5f4e696c"))
                .isEqualTo(Map.of(1, Map.of()));
        assertThat(value("83 6802 770162 770474727565")).isEqualTo(Map.of(2, true));
        assertThat(value("83 6802 770169 6105")).isEqualTo(Map.of(3, 5L));
        assertThat(value("83 6802 770169 62ffffffff")).isEqualTo(Map.of(3, -1L));
        assertThat(value("83 6802 770169 6e0500 9a78563412")).isEqualTo(Map.of(3, 0x123456789AL));
        assertThat(value("83 6802 7703666c74 46 3ff8000000000000")).isEqualTo(Map.of(4, 1.5));
        assertThat(value("83 6802 7703737472 6d00000001 78")).isEqualTo(Map.of(5, "x"));
        // {arr, [{i, 1}, {i, 2}]}, {arr, []}, {obj, #{{str, <<"k">>} => {b, false}}}
        assertThat(value("83 6802 7703617272 6c00000002 6802 770169 6101 6802 770169 6102 6a"))
                .isEqualTo(Map.of(8, List.of(Map.of(3, 1L), Map.of(3, 2L))));
        assertThat(value("83 6802 7703617272 6a")).isEqualTo(Map.of(8, List.of()));
        assertThat(value("83 6802 77036f626a 7400000001 6802 7703737472 6d00000001 6b 6802 770162 770566616c7365"))
                .isEqualTo(Map.of(7, Map.of(Map.of(5, "k"), Map.of(2, false))));
    }

    @ParameterizedTest // no value, cut off, with something behind it, of a size that is not there
    @ValueSource(
            strings = {
                "",
                "83",
                "83 6105",
                "83 6802 770162 6105",
                "83 6802 7703 62696e 6d00000004 616263",
                "83 6802 7703 62696e 6d00000003 616263 00",
                "83 6c 7fffffff",
                "83 6802 7703617272 6c00000001 6105 6a",
                "83 50 7fffffff 00",
                "83 50 00000003 00",
                "83 ff",
            })
    void otherBytes_areKeptAsTheyAre(String hex) {
        ThriftWriter to = new ThriftWriter();
        MsgpackValue.write(bytes(hex), to);
        ThriftWriter binary = new ThriftWriter();
        binary.binary(6, bytes(hex));
        assertThat(to.bytes()).isEqualTo(binary.bytes());
    }

    @Test
    void json_isKeptAsItIs() {
        assertThat(value("{\"a\":1}".getBytes(StandardCharsets.UTF_8))).isEqualTo(Map.of(6, "{\"a\":1}"));
    }

    @Test
    void term_ofAnyDepth_neverOverflows() {
        byte[] deep = new byte[100_000];
        Arrays.fill(deep, (byte) 1);
        for (int i = 1; i < deep.length; i += 2) deep[i] = 0x68;
        deep[0] = (byte) 0x83;
        assertThat(value(deep)).containsOnlyKeys(6);
    }
}
