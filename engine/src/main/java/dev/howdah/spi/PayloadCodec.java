package dev.howdah.spi;

/** Turns payloads into JSON text and back. Has to be safe for use by many threads. */
public interface PayloadCodec {
    /**
     * The payload as JSON text.
     *
     * @throws IllegalArgumentException if it cannot be said in JSON; the message says why
     */
    String encode(Object payload);

    /**
     * The payload that this JSON text says.
     *
     * @throws IllegalArgumentException if it is no such payload; the message becomes the job's error
     */
    <T> T decode(String json, Class<T> type);
}
