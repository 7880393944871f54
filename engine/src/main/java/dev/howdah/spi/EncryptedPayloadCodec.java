package dev.howdah.spi;

import dev.howdah.internal.json.CodedText;
import dev.howdah.internal.text.StorableText;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import org.jspecify.annotations.Nullable;

/**
 * Encrypts the texts of another codec with AES-GCM: payloads of jobs, results and steps. Each is stored as {@code {"howdah": "aes-gcm", "with": "2026-11",
 * "data": "..."}}, where {@code with} is the id of the key and the data are a random nonce of 96 bits, the encrypted text and a tag of 128 bits. The
 * id of the key, the kind of the job and whether it is a payload, a result or a step are authenticated with it: a text that was changed, or moved to a job of another kind, is
 * refused.
 *
 * <pre>{@code
 * EncryptedPayloadCodec codec = EncryptedPayloadCodec.of(JacksonPayloadCodec.of(mapper), "2026-11", newKey)
 *         .decryptingWith("2026-05", oldKey);
 * }</pre>
 *
 * <p>To change the key, first give the new key to all programs with {@link #decryptingWith}, then let them encrypt with it; drop the old key when no stored text has
 * its id. One key should not encrypt more than 4 billion texts, since the nonces are random.
 *
 * <p>Not encrypted are kind, queue, key, order key, tags, metadata, progress, log lines, and the errors of handlers. Errors of the other codec, which may quote a
 * payload, are not passed on. SQL cannot look into an encrypted payload: queries by the content of payloads do not find it, and views show it as it is stored.
 *
 * <p>Immutable, and safe for use by many threads if the other codec is. No key is in its text or in its exceptions.
 */
public final class EncryptedPayloadCodec implements PayloadCodec {
    private static final String AES_GCM = "aes-gcm";
    private static final String TRANSFORMATION = "AES/GCM/NoPadding";
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;
    private static final String IDS = "[A-Za-z0-9._-]{1,100}";
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final Subject NO_SUBJECT = new Subject(Use.PAYLOAD, "");

    private final PayloadCodec codec;
    private final String keyId;
    private final Map<String, SecretKey> keys;
    private final boolean plain;

    private EncryptedPayloadCodec(PayloadCodec codec, String keyId, Map<String, SecretKey> keys, boolean plain) {
        this.codec = codec;
        this.keyId = keyId;
        this.keys = keys;
        this.plain = plain;
    }

    /**
     * Encrypts the texts of that codec with that key.
     *
     * @param keyId stored with each text: 1 to 100 letters, digits, dots, underscores or hyphens; one id means the same key forever
     * @param key for AES: 128, 192 or 256 bits
     * @throws IllegalArgumentException if the id or the key does not fit
     */
    public static EncryptedPayloadCodec of(PayloadCodec codec, String keyId, SecretKey key) {
        Objects.requireNonNull(codec, "a codec is needed, not null");
        return new EncryptedPayloadCodec(codec, checkId(keyId), Map.of(keyId, checkKey(keyId, key)), false);
    }

    /**
     * Adds a key that decrypts: an old one, or the next one before it is used.
     *
     * @throws IllegalArgumentException if the id or the key does not fit, or the id is known already
     */
    public EncryptedPayloadCodec decryptingWith(String id, SecretKey key) {
        Map<String, SecretKey> all = new LinkedHashMap<>(keys);
        if (all.put(checkId(id), checkKey(id, key)) != null)
            throw new IllegalArgumentException("there is a key \"" + id + "\" already");
        return new EncryptedPayloadCodec(codec, keyId, Map.copyOf(all), plain);
    }

    /**
     * Reads texts that are not encrypted as well: for as long as jobs wait that were added before, or are added by SQL. Without this they are refused, so that a
     * payload that was not encrypted with one of the keys never reaches a handler.
     */
    public EncryptedPayloadCodec acceptingPlain() {
        return new EncryptedPayloadCodec(codec, keyId, keys, true);
    }

    private static String checkId(String id) {
        if (!id.matches(IDS))
            throw new IllegalArgumentException(
                    "the id of a key has 1 to 100 letters, digits, dots, underscores or hyphens; not \""
                            + (id.length() <= 100 ? id : id.substring(0, 100) + "...") + "\"");
        return id;
    }

    private static SecretKey checkKey(String id, SecretKey key) {
        Objects.requireNonNull(key, "a key is needed, not null");
        byte[] encoded = key.getEncoded();
        // The key of a hardware module does not say what it is.
        boolean fits = encoded == null || encoded.length == 16 || encoded.length == 24 || encoded.length == 32;
        if (!fits || !"AES".equals(key.getAlgorithm()))
            throw new IllegalArgumentException("the key \"" + id + "\" is for " + key.getAlgorithm() + " and has "
                    + (encoded == null ? "an unknown number of" : encoded.length * 8)
                    + " bits: it has to be for AES, with 128, 192 or 256 bits");
        return key;
    }

    @Override
    public String encode(Object payload) {
        return encrypted(codec.encode(payload), NO_SUBJECT);
    }

    @Override
    public String encode(Object payload, Subject subject) {
        return encrypted(codec.encode(payload, subject), subject);
    }

    @Override
    public String encode(Object payload, Type type, Subject subject) {
        return encrypted(codec.encode(payload, type, subject), subject);
    }

    @Override
    public void prepare(Type type) {
        codec.prepare(type);
    }

    @Override
    public <T> T decode(String json, Class<T> type) {
        return decode(json, NO_SUBJECT, type.getTypeName(), text -> codec.decode(text, type));
    }

    @Override
    public <T> T decode(String json, TypeReference<T> type) {
        return decode(json, NO_SUBJECT, type.toString(), text -> codec.decode(text, type));
    }

    @Override
    public <T> T decode(String json, Class<T> type, Subject subject) {
        return decode(json, subject, type.getTypeName(), text -> codec.decode(text, type, subject));
    }

    @Override
    public <T> T decode(String json, TypeReference<T> type, Subject subject) {
        return decode(json, subject, type.toString(), text -> codec.decode(text, type, subject));
    }

    private <T> T decode(String json, Subject subject, String type, Function<String, T> inner) {
        CodedText coded = CodedText.of(json, AES_GCM);
        if (coded == null) {
            if (plain) return inner.apply(json);
            throw new IllegalArgumentException(
                    "its payload is not encrypted: EncryptedPayloadCodec.acceptingPlain reads"
                            + " such payloads as well");
        }
        String text = decrypted(coded, subject);
        try {
            return inner.apply(text);
        } catch (RuntimeException e) {
            // Neither the message nor the cause: they may quote the payload.
            throw new IllegalArgumentException("its payload was decrypted and is no " + type
                    + "; what is wrong is not said, since that would show it");
        }
    }

    private String encrypted(String text, Subject subject) {
        byte[] nonce = new byte[NONCE_BYTES];
        RANDOM.nextBytes(nonce);
        try {
            Cipher cipher = cipher(Cipher.ENCRYPT_MODE, keyId, nonce, subject);
            byte[] plainText = StorableText.bytes(text);
            ByteBuffer data = ByteBuffer.allocate(NONCE_BYTES + cipher.getOutputSize(plainText.length));
            data.put(nonce);
            cipher.doFinal(ByteBuffer.wrap(plainText), data);
            return new CodedText(AES_GCM, keyId, data.array()).toJson();
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException(
                    "cannot be encrypted with the key \"" + keyId + "\": "
                            + e.getClass().getSimpleName(),
                    e);
        }
    }

    private String decrypted(CodedText coded, Subject subject) {
        String id = coded.with();
        if (id == null || !keys.containsKey(id))
            throw new IllegalArgumentException("its payload is encrypted with the key \"" + shown(id)
                    + "\", which is not among the keys of this program: " + keys.keySet());
        byte[] data = coded.data();
        if (data.length < NONCE_BYTES + TAG_BITS / 8)
            throw new IllegalArgumentException("its payload is encrypted, and incomplete");
        try {
            byte[] nonce = new byte[NONCE_BYTES];
            System.arraycopy(data, 0, nonce, 0, NONCE_BYTES);
            Cipher cipher = cipher(Cipher.DECRYPT_MODE, id, nonce, subject);
            return new String(cipher.doFinal(data, NONCE_BYTES, data.length - NONCE_BYTES), StandardCharsets.UTF_8);
        } catch (AEADBadTagException e) {
            throw new IllegalArgumentException(
                    "its payload cannot be decrypted: it was changed, was encrypted for another kind than \""
                            + subject.kind() + "\", or with another key of the id \"" + id + "\"");
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException(
                    "its payload cannot be decrypted with the key \"" + id + "\": "
                            + e.getClass().getSimpleName(),
                    e);
        }
    }

    private static String shown(@Nullable String id) {
        return id == null ? "" : id.length() <= 100 ? id : id.substring(0, 100) + "...";
    }

    private Cipher cipher(int mode, String id, byte[] nonce, Subject subject) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance(TRANSFORMATION);
        cipher.init(mode, keys.get(id), new GCMParameterSpec(TAG_BITS, nonce));
        // Neither an id nor the name of a use has this character, so that no two of them look alike.
        cipher.updateAAD(
                (AES_GCM + '\n' + id + '\n' + subject.use() + '\n' + subject.kind()).getBytes(StandardCharsets.UTF_8));
        return cipher;
    }

    @Override
    public String toString() {
        return "encrypted with the key " + keyId + ", decrypted with " + keys.keySet() + ": "
                + codec.getClass().getName();
    }
}
