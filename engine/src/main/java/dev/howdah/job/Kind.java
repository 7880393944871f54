package dev.howdah.job;

import dev.howdah.internal.json.CodedType;
import dev.howdah.job.internal.store.Durations;
import dev.howdah.job.internal.store.JobNames;
import dev.howdah.job.internal.store.JobOptions;
import dev.howdah.spi.PayloadCodec;
import dev.howdah.spi.RetryPolicy;
import dev.howdah.spi.TypeReference;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A kind of job: its name in the database, the type of its payload, and the options that its jobs and handlers have unless they say
 * otherwise. Immutable: each method that sets something returns a copy. Two kinds are equal if they have the same name and type.
 *
 * @param <T> the type of the payload: a record, or another type that the codec can convert to JSON and back
 */
public final class Kind<T> {
    private final String name;
    private final CodedType<T> type;
    private final Defaults defaults;

    /** The names that it had before. */
    private final Set<String> former;

    /** The options of jobs and handlers of the kind that set none themselves; null: the options of all kinds. */
    private record Defaults(
            @Nullable String queue,
            int priority,
            @Nullable RetryPolicy retries,
            @Nullable Duration timeout,
            @Nullable String options) {
        static final Defaults NONE = new Defaults(null, 0, null, null, null);
    }

    private Kind(String name, CodedType<T> type, Defaults defaults, Set<String> former) {
        this.name = name;
        this.type = type;
        this.defaults = defaults;
        this.former = former;
    }

    private static String checked(String name) {
        return JobNames.check("kind", name);
    }

    /**
     * Makes a kind.
     *
     * @param name 1 to 200 characters; must not change when classes are renamed
     * @param type of the payload; {@code Void.class} for jobs without one
     * @throws IllegalArgumentException if the name is empty or too long
     */
    public static <T> Kind<T> of(String name, Class<T> type) {
        return new Kind<>(checked(name), CodedType.of(type, "the kind " + name), Defaults.NONE, Set.of());
    }

    /**
     * Makes a kind with a generic payload, such as {@code new TypeReference<List<Long>>() {}}. A payload is written to JSON by its class:
     * put elements that Jackson tells apart by {@code @JsonTypeInfo} into a record instead of a bare list.
     *
     * @param name 1 to 200 characters
     * @param type of the payload
     * @throws IllegalArgumentException if the name is empty or too long
     */
    public static <T> Kind<T> of(String name, TypeReference<T> type) {
        return new Kind<>(checked(name), CodedType.of(type, "the kind " + name), Defaults.NONE, Set.of());
    }

    private Kind<T> with(Defaults other) {
        return new Kind<>(name, type, other, former);
    }

    /**
     * Returns a copy whose handlers also do the jobs that were added under these names, before the kind was renamed: those that wait, and those of schedules
     * and of programs of older versions.
     *
     * @throws IllegalArgumentException if a name is empty, longer than 200 characters, or the one that it has
     */
    public Kind<T> formerly(String... names) {
        Set<String> all = new LinkedHashSet<>(former);
        for (String each : names)
            if (each.equals(name) || !all.add(checked(each)))
                throw new IllegalArgumentException("kind " + name + " has the name " + each + " already");
        return new Kind<>(name, type, defaults, Collections.unmodifiableSet(all));
    }

    /** It under each of the names that it had before. */
    List<Kind<T>> former() {
        return former.stream()
                .map(each -> new Kind<>(each, type, defaults, Set.of()))
                .toList();
    }

    /**
     * Returns a copy whose jobs are added to that queue, unless {@link NewJob#queue(String)} names another one. A node with a handler of it claims from
     * that queue.
     *
     * @throws IllegalArgumentException if the name is empty or has more than 200 characters
     */
    public Kind<T> queue(String queue) {
        return with(new Defaults(
                JobNames.check("queue", queue),
                defaults.priority(),
                defaults.retries(),
                defaults.timeout(),
                defaults.options()));
    }

    /**
     * Returns a copy whose jobs have that priority, unless {@link NewJob#priority(int)} sets another one.
     *
     * @param priority -100 to 100; lower runs first
     * @throws IllegalArgumentException if it is out of bounds
     */
    public Kind<T> priority(int priority) {
        return with(new Defaults(
                defaults.queue(),
                NewJob.checkPriority(priority),
                defaults.retries(),
                defaults.timeout(),
                defaults.options()));
    }

    /** Returns a copy whose handlers have that retry policy, unless {@link HandlerOptions#retries} sets another one. */
    public Kind<T> retries(RetryPolicy policy) {
        Objects.requireNonNull(policy, "a retry policy is needed, not null");
        return with(
                new Defaults(defaults.queue(), defaults.priority(), policy, defaults.timeout(), defaults.options()));
    }

    /**
     * Returns a copy whose handlers may run so long in one attempt, unless {@link HandlerOptions#timeout} sets another limit. Zero: no limit.
     *
     * @throws IllegalArgumentException if it is negative or too long
     */
    public Kind<T> timeout(Duration time) {
        return with(new Defaults(
                defaults.queue(), defaults.priority(), defaults.retries(), Durations.check(time), defaults.options()));
    }

    /**
     * Returns a copy whose jobs have these tags, unless {@link NewJob#tags} sets others.
     *
     * @param tags at most 20, each of 1 to 100 characters
     * @throws IllegalArgumentException if there are more, or one is empty, longer, or has a control character
     */
    public Kind<T> tags(String... tags) {
        return with(new Defaults(
                defaults.queue(),
                defaults.priority(),
                defaults.retries(),
                defaults.timeout(),
                JobOptions.tags(defaults.options(), List.of(tags))));
    }

    /** The queue that it names; null if it names none. */
    public @Nullable String queueOrNull() {
        return defaults.queue();
    }

    /** The retry policy that it sets; null if it sets none. */
    public @Nullable RetryPolicy retriesOrNull() {
        return defaults.retries();
    }

    /** The timeout that it sets; null if it sets none. */
    public @Nullable Duration timeoutOrNull() {
        return defaults.timeout();
    }

    /** As {@link NewJob#options} has them. */
    @Nullable
    String options() {
        return defaults.options();
    }

    int priority() {
        return defaults.priority();
    }

    /** Whether it sets a retry policy that the other kind does not set. */
    boolean hasOtherRetries(Kind<?> other) {
        return defaults.retries() != null && !defaults.retries().equals(other.defaults.retries());
    }

    /** Whether it sets a timeout that the other kind does not set. */
    boolean hasOtherTimeout(Kind<?> other) {
        return defaults.timeout() != null && !defaults.timeout().equals(other.defaults.timeout());
    }

    RetryPolicy retriesOr(RetryPolicy other) {
        return defaults.retries() == null ? other : defaults.retries();
    }

    Duration timeoutOr(Duration other) {
        return defaults.timeout() == null ? other : defaults.timeout();
    }

    public String name() {
        return name;
    }

    /** Returns the type of the payload. */
    public Type type() {
        return type.type();
    }

    String typeName() {
        return type.simpleName();
    }

    /**
     * Returns the payload of this JSON text.
     *
     * @throws IllegalArgumentException if it does not fit the type
     */
    public T decode(PayloadCodec codec, String json) {
        return type.decode(codec, json, new PayloadCodec.Subject(PayloadCodec.Use.PAYLOAD, name));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Kind<?> that && name.equals(that.name) && type().equals(that.type());
    }

    @Override
    public int hashCode() {
        return Objects.hash(name, type());
    }

    @Override
    public String toString() {
        return name + " (" + type + ")";
    }
}
