package dev.howdah.job;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A job to be added, with what is seldom needed. Immutable: each method gives another one.
 *
 * @param <T> of the payload
 */
public final class NewJob<T> {
    /** Where jobs go that name no queue. */
    public static final String DEFAULT_QUEUE = "default";

    private static final int URGENT = -100;
    private static final int LEISURELY = 100;

    private final Kind<T> kind;
    private final T payload;
    private final String queue;
    private final int priority;
    private final Duration delay;
    private final @Nullable Instant at;

    private NewJob(Kind<T> kind, T payload, String queue, int priority, Duration delay, @Nullable Instant at) {
        this.kind = kind;
        this.payload = payload;
        this.queue = queue;
        this.priority = priority;
        this.delay = delay;
        this.at = at;
    }

    /** A job for now, in the queue {@code default}, of priority 0. */
    public static <T> NewJob<T> of(Kind<T> kind, T payload) {
        return new NewJob<>(kind, payload, DEFAULT_QUEUE, 0, Duration.ZERO, null);
    }

    /**
     * In that queue. A queue that nobody has named before is made.
     *
     * @throws IllegalArgumentException if the name is empty or has more than 200 characters
     */
    public NewJob<T> queue(String name) {
        return new NewJob<>(kind, payload, Names.check("queue", name), priority, delay, at);
    }

    /**
     * Lower goes first; among equals what is due first.
     *
     * @param value -100 to 100
     * @throws IllegalArgumentException if it is not
     */
    public NewJob<T> priority(int value) {
        if (value < URGENT || value > LEISURELY)
            throw new IllegalArgumentException("a priority of " + value + ": it has to be from -100 to 100");
        return new NewJob<>(kind, payload, queue, value, delay, at);
    }

    /**
     * Not before that time has passed, by the database's clock, from the start of the transaction that adds it.
     *
     * @throws IllegalArgumentException if it is negative, or longer than a thousand years
     */
    public NewJob<T> delay(Duration time) {
        return new NewJob<>(kind, payload, queue, priority, Delays.check(time), null);
    }

    /**
     * Not before that moment, by the database's clock.
     *
     * @throws IllegalArgumentException if it is after the year 9999 or before the year 1
     */
    public NewJob<T> at(Instant moment) {
        if (moment.isBefore(Instant.parse("0001-01-01T00:00:00Z"))
                || moment.isAfter(Instant.parse("9999-12-31T23:59:59Z")))
            throw new IllegalArgumentException("a job at " + moment + ": it has to be in the years 1 to 9999");
        return new NewJob<>(kind, payload, queue, priority, Duration.ZERO, moment);
    }

    Kind<T> kind() {
        return kind;
    }

    T payload() {
        return payload;
    }

    String queueName() {
        return queue;
    }

    int priorityValue() {
        return priority;
    }

    Duration delayTime() {
        return delay;
    }

    @Nullable
    Instant moment() {
        return at;
    }
}
