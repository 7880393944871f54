package dev.howdah.process;

import dev.howdah.spi.PayloadCodec;
import dev.howdah.spi.TypeReference;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Bytes with a codec. Immutable; safe for use by many threads.
 *
 * <p>A {@code byte[]} or a {@code Payload} that is given to Howdah is stored as it is; any other value becomes JSON.
 */
public final class Payload {
    private final byte[] bytes;
    private final PayloadCodec codec;

    private Payload(byte[] bytes, PayloadCodec codec) {
        this.bytes = bytes;
        this.codec = codec;
    }

    /**
     * A payload of those bytes.
     *
     * @param bytes not copied: they must not change afterwards; null for none
     * @param codec decodes JSON for {@link #as}
     */
    public static Payload of(byte @Nullable [] bytes, PayloadCodec codec) {
        return new Payload(bytes == null ? new byte[0] : bytes, codec);
    }

    /** The bytes. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** The number of bytes. */
    public int size() {
        return bytes.length;
    }

    /** The bytes as text. */
    public String text() {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /**
     * Converts the JSON to that type.
     *
     * @throws IllegalArgumentException if it does not fit the type
     */
    public <T> T as(Class<T> type) {
        return codec.decode(text(), type);
    }

    /**
     * Converts the JSON to that generic type.
     *
     * @throws IllegalArgumentException if it does not fit the type
     */
    public <T> T as(TypeReference<T> type) {
        return codec.decode(text(), type);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Payload that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** The size only: the content may be a secret. */
    @Override
    public String toString() {
        return bytes.length + " bytes";
    }
}
