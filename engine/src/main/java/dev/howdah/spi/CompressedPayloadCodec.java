package dev.howdah.spi;

import dev.howdah.internal.json.CodedText;
import dev.howdah.internal.text.StorableText;
import java.io.ByteArrayOutputStream;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.function.Function;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * Compresses the large texts of another codec. A text above the threshold is stored as {@code {"howdah": "deflate", "data": "..."}}, if that is shorter;
 * other texts are stored as they are. Both are read, so that it can be put into use, and its threshold changed, while jobs wait. SQL sees a compressed
 * text as it is stored: queries by the content of payloads do not find it.
 *
 * <pre>{@code
 * Jobs.on(dataSource).codec(CompressedPayloadCodec.of(JacksonPayloadCodec.of(mapper)).threshold(20_000))
 * }</pre>
 *
 * <p>Immutable, and safe for use by many threads if the other codec is.
 */
public final class CompressedPayloadCodec implements PayloadCodec {
    private static final String DEFLATE = "deflate";
    private static final int THRESHOLD = 4_096;
    private static final int LIMIT = 256_000_000;
    private static final int BUFFER = 16_384;

    private final PayloadCodec codec;
    private final int threshold;
    private final int limit;

    private CompressedPayloadCodec(PayloadCodec codec, int threshold, int limit) {
        this.codec = codec;
        this.threshold = threshold;
        this.limit = limit;
    }

    /** Compresses the texts of that codec. To encrypt as well, give this codec to {@link EncryptedPayloadCodec#of}, not the other way round. */
    public static CompressedPayloadCodec of(PayloadCodec codec) {
        return new CompressedPayloadCodec(
                Objects.requireNonNull(codec, "a codec is needed, not null"), THRESHOLD, LIMIT);
    }

    /**
     * Sets the number of characters from which on a text is compressed. Defaults to 4,096.
     *
     * @throws IllegalArgumentException if it is less than 1
     */
    public CompressedPayloadCodec threshold(int characters) {
        if (characters < 1)
            throw new IllegalArgumentException("a threshold of " + characters + " characters: it has to be 1 or more");
        return new CompressedPayloadCodec(codec, characters, limit);
    }

    /**
     * Sets the number of bytes that a text may have at most when it is read; a larger one is refused when so much of it has been read, whatever it says of
     * itself. Defaults to 256,000,000.
     *
     * @throws IllegalArgumentException if it is less than 1
     */
    public CompressedPayloadCodec limit(int bytes) {
        if (bytes < 1) throw new IllegalArgumentException("a limit of " + bytes + " bytes: it has to be 1 or more");
        return new CompressedPayloadCodec(codec, threshold, bytes);
    }

    @Override
    public String encode(Object payload) {
        return shortened(codec.encode(payload));
    }

    @Override
    public String encode(Object payload, Subject subject) {
        return shortened(codec.encode(payload, subject));
    }

    @Override
    public String encode(Object payload, Type type, Subject subject) {
        return shortened(codec.encode(payload, type, subject));
    }

    @Override
    public void prepare(Type type) {
        codec.prepare(type);
    }

    @Override
    public <T> T decode(String json, Class<T> type) {
        return decode(json, text -> codec.decode(text, type));
    }

    @Override
    public <T> T decode(String json, TypeReference<T> type) {
        return decode(json, text -> codec.decode(text, type));
    }

    @Override
    public <T> T decode(String json, Class<T> type, Subject subject) {
        return decode(json, text -> codec.decode(text, type, subject));
    }

    @Override
    public <T> T decode(String json, TypeReference<T> type, Subject subject) {
        return decode(json, text -> codec.decode(text, type, subject));
    }

    private <T> T decode(String json, Function<String, T> inner) {
        CodedText coded = CodedText.of(json, DEFLATE);
        return inner.apply(coded == null ? json : inflated(coded.data()));
    }

    private String shortened(String json) {
        // What could be taken for a compressed text is always compressed.
        boolean ambiguous = CodedText.isAmbiguous(json);
        if (!ambiguous && json.length() < threshold) return json;
        String coded = new CodedText(DEFLATE, null, deflated(StorableText.bytes(json))).toJson();
        return ambiguous || coded.length() < json.length() ? coded : json;
    }

    private static byte[] deflated(byte[] text) {
        Deflater deflater = new Deflater();
        try {
            deflater.setInput(text);
            deflater.finish();
            ByteArrayOutputStream all = new ByteArrayOutputStream(text.length / 4 + 64);
            byte[] buffer = new byte[BUFFER];
            while (!deflater.finished()) all.write(buffer, 0, deflater.deflate(buffer));
            return all.toByteArray();
        } finally {
            deflater.end();
        }
    }

    private String inflated(byte[] data) {
        Inflater inflater = new Inflater();
        try {
            inflater.setInput(data);
            ByteArrayOutputStream all = new ByteArrayOutputStream(Math.min(limit, data.length * 4 + 64));
            byte[] buffer = new byte[BUFFER];
            while (!inflater.finished()) {
                int read = inflater.inflate(buffer);
                if (read == 0 && !inflater.finished())
                    throw new IllegalArgumentException("its compressed payload is incomplete");
                if (all.size() + read > limit)
                    throw new IllegalArgumentException("its compressed payload is larger than " + limit
                            + " bytes, the limit of the CompressedPayloadCodec");
                all.write(buffer, 0, read);
            }
            return all.toString(StandardCharsets.UTF_8);
        } catch (DataFormatException e) {
            throw new IllegalArgumentException("its compressed payload is damaged: " + e.getMessage(), e);
        } finally {
            inflater.end();
        }
    }

    @Override
    public String toString() {
        return "compressed from " + threshold + " characters on: " + codec;
    }
}
