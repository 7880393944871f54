package dev.howdah.process.internal.store;

import dev.howdah.internal.text.StorableText;
import dev.howdah.process.Payload;
import dev.howdah.spi.PayloadCodec;
import org.jspecify.annotations.Nullable;

/** Encodes what users give as payloads. */
public final class ProcessPayloads {
    private ProcessPayloads() {}

    /**
     * Returns the bytes of a value: a {@code byte[]} or a {@link Payload} as it is, anything else in JSON, nothing for null.
     *
     * @throws IllegalArgumentException if the codec cannot encode the value
     */
    public static byte[] encode(@Nullable Object value, PayloadCodec codec) {
        if (value == null) return new byte[0];
        if (value instanceof byte[] bytes) return bytes.clone();
        if (value instanceof Payload payload) return payload.bytes();
        return StorableText.bytes(codec.encode(value));
    }
}
