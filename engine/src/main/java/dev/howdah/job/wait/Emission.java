package dev.howdah.job.wait;

import dev.howdah.job.internal.store.Durations;
import dev.howdah.job.internal.store.JobNames;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Something that has happened, for all jobs that wait for it. Immutable: each method returns another one. */
public final class Emission {
    private static final Duration WEEK = Duration.ofDays(7);

    private final String topic;
    private final @Nullable Object payload;
    private final String key;
    private final Duration kept;

    private Emission(String topic, @Nullable Object payload, String key, Duration kept) {
        this.topic = topic;
        this.payload = payload;
        this.key = key;
        this.kept = kept;
    }

    /**
     * An event with an empty key, which is kept for seven days.
     *
     * @param topic 1 to 200 characters
     * @param payload that the codec can convert to JSON, 64 kB at most; null: none
     */
    public static Emission of(String topic, @Nullable Object payload) {
        return new Emission(JobNames.checkNew("topic", topic), payload, "", WEEK);
    }

    /** Sets what it is about, such as the number of an order, 200 characters at most. */
    public Emission key(String text) {
        return new Emission(topic, payload, Objects.requireNonNull(text, "key"), kept);
    }

    /** Sets for how long jobs that ask later meet it. */
    public Emission keep(Duration time) {
        return new Emission(topic, payload, key, Durations.check(time));
    }

    /** Returns the topic. */
    public String topic() {
        return topic;
    }

    /** Returns what it says; null: nothing. */
    public @Nullable Object payload() {
        return payload;
    }

    /** Returns what it is about. */
    public String key() {
        return key;
    }

    /** Returns for how long it is kept. */
    public Duration kept() {
        return kept;
    }
}
