package dev.howdah.job.wait;

import dev.howdah.job.internal.store.JobNames;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Which events a handler waits for, see {@link dev.howdah.job.Job#awaitEvent}. Immutable: each method returns another one. */
public final class EventWait<T> {
    private final String topic;
    private final Class<T> type;
    private final String key;
    private final @Nullable String filter;
    private final boolean onlyNew;

    private EventWait(String topic, Class<T> type, String key, @Nullable String filter, boolean onlyNew) {
        this.topic = topic;
        this.type = type;
        this.key = key;
        this.filter = filter;
        this.onlyNew = onlyNew;
    }

    /**
     * Events of that topic with an empty key.
     *
     * @param topic 1 to 200 characters
     * @param type to which the codec converts the payload
     */
    public static <T> EventWait<T> of(String topic, Class<T> type) {
        return new EventWait<>(
                JobNames.checkNew("topic", topic), Objects.requireNonNull(type, "type"), "", null, false);
    }

    /**
     * Events with that key: the cost of an event depends on the waits for its key, and not on those for other keys of its topic.
     *
     * @param text such as the number of an order
     */
    public EventWait<T> key(String text) {
        return new EventWait<>(topic, type, Objects.requireNonNull(text, "key"), filter, onlyNew);
    }

    /** Events whose payload contains that JSON, as {@code @>} of {@code jsonb} says. */
    public EventWait<T> containing(String json) {
        return new EventWait<>(topic, type, key, Objects.requireNonNull(json, "json"), onlyNew);
    }

    /** Events that are emitted after the wait has begun, and not those since the job was added. */
    public EventWait<T> onlyNew() {
        return new EventWait<>(topic, type, key, filter, true);
    }

    /** Returns the topic. */
    public String topic() {
        return topic;
    }

    /** Returns the class of the payload. */
    public Class<T> type() {
        return type;
    }

    /** Returns the key. */
    public String key() {
        return key;
    }

    /** Returns the JSON that the payload contains; null: anything. */
    public @Nullable String filter() {
        return filter;
    }

    /** Returns whether events of before do not count. */
    public boolean isOnlyNew() {
        return onlyNew;
    }
}
