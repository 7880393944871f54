package dev.howdah.spi;

/** Converts payloads to JSON text and back. Has to be safe for use by many threads. */
public interface PayloadCodec {
    /**
     * Returns the payload as JSON text.
     *
     * @throws IllegalArgumentException if it cannot be converted; the message says why
     */
    String encode(Object payload);

    /**
     * Returns the payload of this JSON text.
     *
     * @throws IllegalArgumentException if it does not fit the type; the message becomes the job's error
     */
    <T> T decode(String json, Class<T> type);

    /**
     * Returns the payload of this JSON text, for a generic type. By default no generic type is supported.
     *
     * @throws IllegalArgumentException if it does not fit the type; the message becomes the job's error
     */
    default <T> T decode(String json, TypeReference<T> type) {
        throw new IllegalArgumentException(getClass().getName() + " converts to classes only, not to " + type
                + ": implement decode(String, TypeReference)");
    }
}
