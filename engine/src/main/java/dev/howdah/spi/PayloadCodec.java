package dev.howdah.spi;

import java.lang.reflect.Type;
import java.util.Objects;

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

    /**
     * Makes ready what decoding values of this type needs, so that the first job of a node does not wait for it: readers, classes.
     * Called once for each handler, with the type of its payload, in a thread of its own while the node starts; jobs may be decoded
     * meanwhile. Does nothing by default. An exception is logged at debug level and has no other effect.
     */
    default void prepare(Type type) {}

    /** The use of a value in its job. A signal is sent by programs that do not know the job: its subject has the name of the signal instead of a kind. */
    enum Use {
        PAYLOAD,
        /** That a handler has set. */
        RESULT,
        /** The recorded result of a step of a handler. */
        STEP,
        /** The payload of a signal. */
        SIGNAL
    }

    /**
     * The place of a text: its use, and the kind of its job. A codec that encrypts binds the text to it, so that it cannot be put elsewhere unnoticed.
     *
     * @param kind the name of the kind of the job; of a signal its own name
     */
    record Subject(Use use, String kind) {
        public Subject {
            Objects.requireNonNull(use, "a subject needs a use, not null");
            Objects.requireNonNull(kind, "a subject needs a kind, not null");
        }
    }

    /** As {@link #encode(Object)}, for a codec to which it matters what the text belongs to. Jobs call this one where they do not know a type. */
    default String encode(Object payload, Subject subject) {
        return encode(payload);
    }

    /**
     * As {@link #encode(Object, Subject)}, for a codec that writes a value by the type by which it is read back, such as a sealed class
     * with a discriminator, or a list of a generic type. Jobs call this one where they know the type.
     *
     * @param type with which {@code decode} is called for the text: the type of the kind of the job, or of the step
     */
    default String encode(Object payload, Type type, Subject subject) {
        return encode(payload, subject);
    }

    /** As {@link #decode(String, Class)}, for a codec to which it matters what the text belongs to. Jobs call this one. */
    default <T> T decode(String json, Class<T> type, Subject subject) {
        return decode(json, type);
    }

    /** As {@link #decode(String, TypeReference)}, for a codec to which it matters what the text belongs to. Jobs call this one. */
    default <T> T decode(String json, TypeReference<T> type, Subject subject) {
        return decode(json, type);
    }
}
