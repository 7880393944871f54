package dev.howdah.process;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An event that a step adds.
 *
 * @param id positive, unique in its process; null: the next after the last one
 * @param timestamp null: the time of the database when it is written
 * @param payload bytes, or a value that the codec converts to JSON
 * @param metadata a value that the codec converts to a JSON object; null: none
 */
public record NewEvent(
        @Nullable Long id,
        @Nullable Instant timestamp,
        Object payload,
        @Nullable Object metadata) {
    public NewEvent {
        Objects.requireNonNull(payload, "an event needs a payload");
        if (id != null && id < 1) throw new IllegalArgumentException("an event with the id " + id + ": 1 or more");
    }

    /** Makes an event with the next id. */
    public static NewEvent of(Object payload) {
        return new NewEvent(null, null, payload, null);
    }

    /** Makes an event with an id. */
    public static NewEvent of(long id, Object payload) {
        return new NewEvent(id, null, payload, null);
    }

    /** Returns a copy with metadata. */
    public NewEvent metadata(Object object) {
        return new NewEvent(id, timestamp, payload, object);
    }

    /** Returns a copy with another timestamp. */
    public NewEvent at(Instant time) {
        return new NewEvent(id, time, payload, metadata);
    }
}
