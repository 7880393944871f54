package dev.howdah.job;

import dev.howdah.job.internal.store.Durations;
import dev.howdah.job.internal.store.JobNames;
import dev.howdah.job.internal.store.JobOptions;
import dev.howdah.job.unique.Unique;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A job to add, with its options. Immutable: each method returns a copy.
 *
 * @param <T> the type of the payload
 */
public final class NewJob<T> {
    /** The queue of jobs that name none. */
    public static final String DEFAULT_QUEUE = "default";

    private static final int URGENT = -100;
    private static final int LEISURELY = 100;
    private static final int MOST_ATTEMPTS = 10_000;

    private final Kind<T> kind;
    private final @Nullable T payload;
    // Set only while a copy is being made.
    private String queue;
    private int priority;
    private Duration delay = Duration.ZERO;
    private @Nullable Instant at;
    private @Nullable Unique unique;
    private @Nullable String order;
    private @Nullable Instant version;
    private int attempts;
    private Duration timeout = Duration.ZERO;
    private @Nullable String options;

    private NewJob(Kind<T> kind, @Nullable T payload) {
        this.kind = kind;
        this.payload = payload;
        this.priority = kind.priority();
        this.queue = Objects.requireNonNullElse(kind.queueOrNull(), DEFAULT_QUEUE);
        this.options = kind.options();
    }

    private NewJob<T> copy() {
        NewJob<T> copy = new NewJob<>(kind, payload);
        copy.queue = queue;
        copy.priority = priority;
        copy.delay = delay;
        copy.at = at;
        copy.unique = unique;
        copy.order = order;
        copy.version = version;
        copy.attempts = attempts;
        copy.timeout = timeout;
        copy.options = options;
        return copy;
    }

    /** Makes a job without a payload, due now, in the queue of its kind, of its priority. Its handler gets null. */
    public static NewJob<Void> of(Kind<Void> kind) {
        return new NewJob<>(Objects.requireNonNull(kind, "a job needs a kind, not null"), null);
    }

    /**
     * Makes a job that is due now, in the queue of its kind ({@code default} if that names none), of its priority (0).
     *
     * @throws IllegalArgumentException if the payload is null: jobs without a payload are those of a {@code Kind<Void>}
     */
    @SuppressWarnings("ConstantValue") // callers are not held to promise that it is never null
    public static <T> NewJob<T> of(Kind<T> kind, T payload) {
        Objects.requireNonNull(kind, "a job needs a kind, not null");
        if (payload == null && kind.type() != Void.class)
            throw new IllegalArgumentException("the payload of a job " + kind.name()
                    + " is null: it has to be a " + kind.typeName()
                    + "; a job without a payload is of a kind Kind.of(name, Void.class)");
        return new NewJob<>(kind, payload);
    }

    /**
     * Sets the queue, which is created if it is new.
     *
     * @throws IllegalArgumentException if the name is empty or has more than 200 characters
     */
    public NewJob<T> queue(String name) {
        NewJob<T> copy = copy();
        copy.queue = JobNames.check("queue", name);
        return copy;
    }

    /**
     * Sets the priority: lower runs first; among equals the job that is due first.
     *
     * @param value -100 to 100; 0 by default
     * @throws IllegalArgumentException if it is out of bounds
     */
    public NewJob<T> priority(int value) {
        NewJob<T> copy = copy();
        copy.priority = checkPriority(value);
        return copy;
    }

    static int checkPriority(int value) {
        if (value < URGENT || value > LEISURELY)
            throw new IllegalArgumentException("a priority of " + value + ": it has to be from -100 to 100");
        return value;
    }

    /**
     * Delays the job, by the database's clock, from the start of the transaction that adds it.
     *
     * @throws IllegalArgumentException if it is negative, or longer than a thousand years
     */
    public NewJob<T> delay(Duration time) {
        NewJob<T> copy = copy();
        copy.delay = Durations.check(time);
        copy.at = null;
        return copy;
    }

    /**
     * Sets the earliest start, by the database's clock.
     *
     * @throws IllegalArgumentException if it is after the year 9999 or before the year 1
     */
    public NewJob<T> runAt(Instant moment) {
        NewJob<T> copy = copy();
        copy.at = Durations.checkMoment("a job at ", moment);
        copy.delay = Duration.ZERO;
        return copy;
    }

    /**
     * Sets the key: the job is not added while one of the same queue, kind and key waits or runs. See {@link Jobs#add(NewJob)}.
     * The same as {@code unique(Unique.byKey(text))}.
     *
     * @param text 1 to 400 characters
     * @throws IllegalArgumentException if it is empty, longer, or has the character 0
     */
    public NewJob<T> key(String text) {
        NewJob<T> copy = copy();
        copy.unique = Unique.byKey(text);
        return copy;
    }

    /**
     * Sets which jobs of the same queue and kind are the same, and what happens to the second one. Takes the place of {@link #key}. A job with a {@link
     * #version} has a key and nothing else of it.
     */
    public NewJob<T> unique(Unique rule) {
        NewJob<T> copy = copy();
        copy.unique = Objects.requireNonNull(rule, "unique needs a rule, not null");
        return copy;
    }

    /**
     * Sets the version of a job with a key. A version that is newer than all before replaces the job that waits, or
     * runs after the one that runs. A version that is not newer is not added.
     *
     * @param moment to the microsecond
     * @throws IllegalArgumentException if it is after the year 9999 or before the year 1
     */
    public NewJob<T> version(Instant moment) {
        NewJob<T> copy = copy();
        copy.version = Durations.checkMoment("the version ", moment);
        return copy;
    }

    /**
     * Sets the order key: the job runs when all jobs of that order key in that queue that were added before it have
     * ended. A job that waits for a retry keeps its place. Of transactions that add at the same time, one that commits
     * after a job of the other has started comes second.
     *
     * @param orderKey 1 to 200 characters, such as the number of a customer
     * @throws IllegalArgumentException if it is empty or longer
     */
    public NewJob<T> orderKey(String orderKey) {
        NewJob<T> copy = copy();
        copy.order = JobNames.check("order key", orderKey);
        return copy;
    }

    /**
     * Sets the maximum attempts, the first included, even if the retry policy of the kind allows more. Defaults to the policy.
     *
     * @param most 1 to 10,000
     * @throws IllegalArgumentException if it is out of bounds
     */
    public NewJob<T> maxAttempts(int most) {
        if (most < 1 || most > MOST_ATTEMPTS)
            throw new IllegalArgumentException(most + " attempts: it has to be from 1 to " + MOST_ATTEMPTS);
        NewJob<T> copy = copy();
        copy.attempts = most;
        return copy;
    }

    /**
     * Sets the maximum run time of an attempt. Defaults to that of the kind.
     *
     * @throws IllegalArgumentException if it is zero, negative, or longer than a thousand years
     */
    public NewJob<T> timeout(Duration time) {
        if (time.isZero()) throw new IllegalArgumentException("a timeout of " + time + ": it has to be longer than 0");
        NewJob<T> copy = copy();
        copy.timeout = Durations.check(time);
        return copy;
    }

    /**
     * Sets the tags, by which jobs are found, counted and changed; those of the kind, or of an earlier call, are replaced.
     *
     * @param tags at most 20, each of 1 to 100 characters; none takes them away
     * @throws IllegalArgumentException if there are more, or one is empty, longer, or has a control character
     */
    public NewJob<T> tags(String... tags) {
        NewJob<T> copy = copy();
        copy.options = JobOptions.tags(options, List.of(tags));
        return copy;
    }

    /**
     * Sets the metadata: attributes of the job that are not part of its payload, such as its source. See {@link Job#metadata}.
     *
     * @param metadata names with values that Jackson writes as JSON; at most 4,096 bytes in all; an empty map takes it away
     * @throws IllegalArgumentException if it is larger, or cannot be written as JSON
     */
    public NewJob<T> metadata(Map<String, ?> metadata) {
        NewJob<T> copy = copy();
        copy.options = JobOptions.metadata(options, metadata);
        return copy;
    }

    /**
     * Sets the group, such as a customer or tenant. Groups of a queue take turns, and there can be limits for each of them:
     * see {@code howdah.limit}, {@code howdah.share} and the guide. Defaults to no group; all jobs of a queue without one
     * take turns as if they were one.
     *
     * @param name 1 to 200 characters
     * @throws IllegalArgumentException if it is empty, longer, or has a control character
     */
    public NewJob<T> group(String name) {
        NewJob<T> copy = copy();
        copy.options = JobOptions.with(options, "group", JobNames.checkNew("group", name));
        return copy;
    }

    /**
     * Sets the weight: for how many jobs it counts where a rate limits how many begin, and in the turns of its group. Defaults to 1.
     *
     * @param value 1 to 1,000,000; a job that is heavier than a rate of its queue allows is refused when it is added
     * @throws IllegalArgumentException if it is out of bounds
     */
    public NewJob<T> weight(int value) {
        if (value < 1 || value > 1_000_000)
            throw new IllegalArgumentException("a weight of " + value + ": it has to be from 1 to 1000000");
        NewJob<T> copy = copy();
        copy.options = JobOptions.with(options, "weight", value == 1 ? null : value);
        return copy;
    }

    /**
     * Sets all options in place of those before, tags and metadata among them, as the SQL function {@code howdah.add} takes them. The database does not check
     * them again.
     *
     * @param json a JSON object; null for none
     * @throws IllegalArgumentException if it is no JSON object
     */
    public NewJob<T> options(@Nullable String json) {
        NewJob<T> copy = copy();
        copy.options = JobOptions.check(json);
        return copy;
    }

    /** The kind. */
    public Kind<T> kind() {
        return kind;
    }

    /** The payload; null for a kind of {@code Void}. */
    public @Nullable T payload() {
        return payload;
    }

    /** The queue; that of the kind, or {@link #DEFAULT_QUEUE}, by default. */
    public String queue() {
        return queue;
    }

    /** The priority, -100 to 100; that of the kind, or 0, by default. */
    public int priority() {
        return priority;
    }

    /** The delay; zero by default. */
    public Duration delay() {
        return delay;
    }

    /** The time that {@link #runAt(Instant)} has set; null by default. */
    public @Nullable Instant runAt() {
        return at;
    }

    /** The key; null by default, and for a job that is unique by its payload. */
    public @Nullable String key() {
        return unique == null ? null : unique.key();
    }

    /** The rule that {@link #key} or {@link #unique(Unique)} has set; null by default. */
    public @Nullable Unique unique() {
        return unique;
    }

    /** The version; null by default. */
    public @Nullable Instant version() {
        return version;
    }

    /** The order key; null by default. */
    public @Nullable String orderKey() {
        return order;
    }

    /** The most attempts; 0 by default: as many as the retry policy of the kind allows. */
    public int maxAttempts() {
        return attempts;
    }

    /** The time limit of an attempt; zero by default: the limit of the kind. */
    public Duration timeout() {
        return timeout;
    }

    /** The options, a JSON object as the SQL function {@code howdah.add} takes it; null by default. */
    public @Nullable String options() {
        return options;
    }

    /**
     * Something to do with each job before it is added: look at it, change its options, or refuse it. Has to be safe for use by many threads.
     *
     * <pre>{@code
     * Jobs.on(dataSource).interceptAdding((job, connection) -> job.tags("tenant-" + Tenant.current()))
     * }</pre>
     */
    @FunctionalInterface
    public interface Interceptor {
        /**
         * Called in the thread of the caller.
         *
         * @param connection of the caller's transaction, to write in it with the job; null if the job is added in a transaction of its own
         * @return the job to add: mostly that job, or a copy with other options
         * @throws RuntimeException to add nothing; the caller gets it
         */
        NewJob<?> adding(NewJob<?> job, @Nullable Connection connection);
    }
}
