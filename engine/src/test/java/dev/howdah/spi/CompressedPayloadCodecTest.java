package dev.howdah.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.internal.json.CodedText;
import dev.howdah.internal.json.JacksonCodec;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.zip.DeflaterOutputStream;
import org.junit.jupiter.api.Test;

/** Large payloads are stored compressed, and read within a bound. */
class CompressedPayloadCodecTest {
    private static final CompressedPayloadCodec CODEC =
            CompressedPayloadCodec.of(new JacksonCodec()).threshold(100);

    @Test
    void text_isCompressedFromTheThresholdOn_ifThatIsShorter() {
        assertThat(CODEC.encode("x".repeat(97))).isEqualTo('"' + "x".repeat(97) + '"');
        String stored = CODEC.encode("x".repeat(1_000));
        assertThat(stored).startsWith("{\"howdah\":\"deflate\",\"data\":\"").hasSizeLessThan(100);
        assertThat(CODEC.decode(stored, String.class)).isEqualTo("x".repeat(1_000));
        byte[] noise = new byte[90];
        new Random(7).nextBytes(noise);
        assertThat(CODEC.encode(noise)).doesNotContain("deflate");
        assertThat(CODEC.decode(CODEC.encode(noise), byte[].class)).isEqualTo(noise);
    }

    @Test
    void texts_ofAllSizesAndCharacters_areReadAsTheyWere() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 300; round++) {
            int[] points = random.ints(random.nextInt(3_000), 1, 0x2000)
                    .map(point -> random.nextInt(10) == 0 ? 0x1F600 : point)
                    .toArray();
            String text = new String(points, 0, points.length);
            assertThat(CODEC.decode(CODEC.encode(text), String.class))
                    .as("seed %s", seed)
                    .isEqualTo(text);
        }
    }

    @Test // a payload that looks like what this codec stores
    void text_thatCouldBeTakenForACompressedOne_isReadAsItWas() {
        Map<String, String> tricky = Map.of("howdah", "deflate", "data", "AAAA");
        String stored = CODEC.encode(tricky);
        assertThat(CODEC.decode(stored, new TypeReference<Map<String, String>>() {}))
                .isEqualTo(tricky);
        assertThat(CODEC.decode("{\"howdah\": \"deflate\", \"data\": 7}", new TypeReference<Map<String, Object>>() {}))
                .containsEntry("data", 7);
        assertThat(CODEC.decode("[\"howdah\"]", new TypeReference<List<String>>() {}))
                .containsExactly("howdah");
    }

    @Test
    void bomb_isRefusedAtTheLimit() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DeflaterOutputStream deflater = new DeflaterOutputStream(bytes)) {
            byte[] zeros = new byte[1_000_000];
            for (int i = 0; i < 300; i++) deflater.write(zeros);
        }
        String bomb = new CodedText("deflate", null, bytes.toByteArray()).toJson();
        assertThat(bomb.length()).isLessThan(1_000_000);
        assertThatThrownBy(() -> CODEC.decode(bomb, String.class))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("larger than 256000000 bytes");
        assertThatThrownBy(() -> CODEC.limit(1_000).decode(CODEC.encode("x".repeat(1_000)), String.class))
                .hasMessageContaining("larger than 1000 bytes");
    }

    @Test
    void damagedText_isRefused() {
        byte[] data = Objects.requireNonNull(CodedText.of(CODEC.encode("x".repeat(1_000)), "deflate"))
                .data();
        String cut = new CodedText("deflate", null, Arrays.copyOf(data, data.length / 2)).toJson();
        assertThatThrownBy(() -> CODEC.decode(cut, String.class)).hasMessageContaining("incomplete");
        String wrong = new CodedText("deflate", null, new byte[] {1, 2, 3}).toJson();
        assertThatThrownBy(() -> CODEC.decode(wrong, String.class)).hasMessageContaining("damaged");
        assertThatThrownBy(() -> CODEC.threshold(0)).hasMessageContaining("a threshold of 0");
        assertThatThrownBy(() -> CODEC.limit(0)).hasMessageContaining("a limit of 0");
    }
}
