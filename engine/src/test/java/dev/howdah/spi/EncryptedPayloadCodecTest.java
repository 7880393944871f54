package dev.howdah.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.internal.json.JacksonCodec;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

/** Payloads encrypted with keys that change, bound to where they belong, and compressed before. */
class EncryptedPayloadCodecTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final SecretKey OLD = key(1, 16);
    private static final SecretKey NEW = key(2, 32);
    private static final PayloadCodec.Subject MAIL = new PayloadCodec.Subject(PayloadCodec.Use.PAYLOAD, "mail");
    private static final EncryptedPayloadCodec CODEC = EncryptedPayloadCodec.of(new JacksonCodec(), "new", NEW);

    private static SecretKey key(int value, int bytes) {
        byte[] all = new byte[bytes];
        all[0] = (byte) value;
        return new SecretKeySpec(all, "AES");
    }

    @Test
    void text_isReadWithItsSubject_andNothingOfItIsStored() {
        String stored = CODEC.encode("secret text", MAIL);
        assertThat(stored)
                .startsWith("{\"howdah\":\"aes-gcm\",\"with\":\"new\",\"data\":\"")
                .doesNotContain("secret");
        assertThat(CODEC.decode(stored, String.class, MAIL)).isEqualTo("secret text");
        List<Integer> numbers =
                CODEC.decode(CODEC.encode(List.of(1, 2), MAIL), new TypeReference<List<Integer>>() {}, MAIL);
        assertThat(numbers).containsExactly(1, 2);
        assertThat(CODEC.decode(CODEC.encode("without"), String.class)).isEqualTo("without");
    }

    @Test
    void nonce_isAnotherOneEachTime() {
        Set<String> nonces = new HashSet<>();
        for (int i = 0; i < 1_000; i++) {
            byte[] data = Base64.getDecoder()
                    .decode(fields(CODEC.encode("same", MAIL)).path("data").asText());
            nonces.add(Base64.getEncoder().encodeToString(java.util.Arrays.copyOf(data, 12)));
        }
        assertThat(nonces).hasSize(1_000);
    }

    private static ObjectNode fields(String json) {
        try {
            return (ObjectNode) JSON.readTree(json);
        } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }

    @Test // jsonb has another order of fields, and spaces
    void text_inAnotherOrderOfFields_isRead() {
        ObjectNode fields = fields(CODEC.encode("moved", MAIL));
        JsonNode data = fields.remove("data");
        ObjectNode other = JSON.createObjectNode();
        other.set("data", data);
        other.setAll(fields);
        assertThat(CODEC.decode(other.toPrettyString(), String.class, MAIL)).isEqualTo("moved");
    }

    @Test
    void keys_areRotated_oldOnesDecryptUntilTheyAreDropped() {
        EncryptedPayloadCodec before = EncryptedPayloadCodec.of(new JacksonCodec(), "old", OLD);
        EncryptedPayloadCodec between = before.decryptingWith("new", NEW);
        EncryptedPayloadCodec after = CODEC.decryptingWith("old", OLD);
        String old = before.encode("a", MAIL);
        assertThat(between.encode("a", MAIL)).contains("\"with\":\"old\"");
        assertThat(between.decode(after.encode("b", MAIL), String.class, MAIL)).isEqualTo("b");
        assertThat(after.decode(old, String.class, MAIL)).isEqualTo("a");
        assertThatThrownBy(() -> CODEC.decode(old, String.class, MAIL))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "its payload is encrypted with the key \"old\", which is not among the keys of this program: [new]");
    }

    @Test
    void text_ofAnotherKindUseKeyOrChanged_isRefused() {
        String stored = CODEC.encode("secret text", MAIL);
        List<PayloadCodec.Subject> others = List.of(
                new PayloadCodec.Subject(PayloadCodec.Use.PAYLOAD, "other"),
                new PayloadCodec.Subject(PayloadCodec.Use.RESULT, "mail"),
                new PayloadCodec.Subject(PayloadCodec.Use.STEP, "mail"));
        for (PayloadCodec.Subject each : others)
            assertThatThrownBy(() -> CODEC.decode(stored, String.class, each))
                    .hasMessageContaining("cannot be decrypted");
        byte[] data = Base64.getDecoder().decode(fields(stored).path("data").asText());
        for (int i = 0; i < data.length; i++) {
            byte[] changed = data.clone();
            changed[i] ^= 1;
            String text = fields(stored)
                    .put("data", Base64.getEncoder().encodeToString(changed))
                    .toString();
            assertThatThrownBy(() -> CODEC.decode(text, String.class, MAIL))
                    .hasMessageContaining("cannot be decrypted");
        }
        // The id of the key is authenticated, even if both ids mean one key.
        EncryptedPayloadCodec twice = CODEC.decryptingWith("alias", NEW);
        assertThatThrownBy(
                        () -> twice.decode(fields(stored).put("with", "alias").toString(), String.class, MAIL))
                .hasMessageContaining("cannot be decrypted");
        assertThatThrownBy(() -> CODEC.decode(fields(stored).put("data", "AAAA").toString(), String.class, MAIL))
                .hasMessageContaining("incomplete");
    }

    @Test
    void textThatIsNotEncrypted_isReadOnlyWhereThatIsAccepted() {
        assertThatThrownBy(() -> CODEC.decode("\"plain\"", String.class, MAIL))
                .hasMessageContaining("is not encrypted");
        EncryptedPayloadCodec migrating = CODEC.acceptingPlain();
        assertThat(migrating.decode("\"plain\"", String.class, MAIL)).isEqualTo("plain");
        assertThat(migrating.decode(CODEC.encode("secret", MAIL), String.class, MAIL))
                .isEqualTo("secret");
    }

    @Test
    void errors_quoteNeitherPayloadNorKey() {
        String stored = CODEC.encode("secret text", MAIL);
        assertThatThrownBy(() -> CODEC.decode(stored, Integer.class, MAIL))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is no java.lang.Integer")
                .hasMessageNotContaining("secret")
                .hasNoCause();
        assertThat(CODEC.decryptingWith("old", OLD).toString())
                .startsWith("encrypted with the key new, decrypted with [")
                .doesNotContain(Base64.getEncoder().encodeToString(NEW.getEncoded()));
    }

    @Test
    void keysThatDoNotFit_areRefused() {
        assertThatThrownBy(() -> EncryptedPayloadCodec.of(new JacksonCodec(), "two words", NEW))
                .hasMessageContaining("not \"two words\"");
        assertThatThrownBy(() -> EncryptedPayloadCodec.of(new JacksonCodec(), "k", key(1, 8)))
                .hasMessage(
                        "the key \"k\" is for AES and has 64 bits: it has to be for AES, with 128, 192 or 256 bits");
        assertThatThrownBy(
                        () -> EncryptedPayloadCodec.of(new JacksonCodec(), "k", new SecretKeySpec(new byte[16], "DES")))
                .hasMessageContaining("is for DES");
        assertThatThrownBy(() -> CODEC.decryptingWith("new", OLD)).hasMessage("there is a key \"new\" already");
    }

    @Test
    void largeText_isCompressedBeforeItIsEncrypted() {
        PayloadCodec both = EncryptedPayloadCodec.of(CompressedPayloadCodec.of(new JacksonCodec()), "new", NEW);
        String large = "the same words ".repeat(10_000);
        String stored = both.encode(large, MAIL);
        assertThat(stored.length()).isLessThan(large.length() / 20);
        assertThat(both.decode(stored, String.class, MAIL)).isEqualTo(large);
        assertThat(both.decode(both.encode("small", MAIL), String.class, MAIL)).isEqualTo("small");
    }
}
