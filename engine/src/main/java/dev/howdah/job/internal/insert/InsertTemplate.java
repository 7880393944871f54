package dev.howdah.job.internal.insert;

import dev.howdah.job.NewJob;
import dev.howdah.job.internal.lane.Lane;
import dev.howdah.job.internal.store.Durations;
import dev.howdah.job.internal.store.JobOptions;
import dev.howdah.job.unique.Unique;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * All of a job that is to be written but its payload. Jobs that are added together mostly share one.
 *
 * @param at when it is due, as PostgreSQL reads it; null: after the delay
 * @param unusual null for most jobs
 */
record InsertTemplate(
        Lane lane,
        String kind,
        int priority,
        @Nullable String at,
        long delayMicros,
        @Nullable Unusual unusual) {
    /**
     * The attributes that most jobs do not have.
     *
     * @param order the key for which jobs run one after the other
     * @param attempts 0: as its kind
     * @param timeoutMicros 0: as its kind
     * @param trace in which context it was added, a JSON object
     * @param options a JSON object, as {@code howdah.add} takes them
     * @param workflow of which it is a job; 0: none
     * @param unique what becomes of a second one, as {@code howdah.add} takes it; null: it is skipped, if there is a key
     */
    record Unusual(
            @Nullable String key,
            @Nullable String version,
            @Nullable String order,
            int attempts,
            long timeoutMicros,
            @Nullable String trace,
            @Nullable String options,
            long workflow,
            @Nullable String unique) {
        static @Nullable Unusual of(NewJob<?> job, @Nullable String trace, long workflow) {
            String key = job.key();
            Instant version = job.version();
            if (version != null && key == null)
                throw new IllegalArgumentException(
                        "version " + version + " without a key: it says which of two jobs with one key is newer");
            String order = job.orderKey();
            if (key != null && order != null)
                throw new IllegalArgumentException("a job with the key " + key + " and the order key " + order
                        + ": it has one of the two, for what waits in order is never replaced");
            Unique rule = job.unique();
            String unique = rule == null || rule.isPlain() ? null : rule.toJson();
            if (version != null && unique != null)
                throw new IllegalArgumentException(
                        "version " + version + " and unique " + unique + ": both say what becomes of the second job");
            if (unique != null && order != null)
                throw new IllegalArgumentException("a job with the order key " + order + " and unique " + unique
                        + ": it has one of the two, for what waits in order is never replaced");
            if (trace == null
                    && unique == null
                    && workflow == 0
                    && key == null
                    && order == null
                    && job.options() == null
                    && job.maxAttempts() == 0
                    && job.timeout().isZero()) return null;
            return new Unusual(
                    key,
                    version == null ? null : version.toString(),
                    order,
                    job.maxAttempts(),
                    Durations.micros(job.timeout()),
                    trace,
                    job.options(),
                    workflow,
                    unique);
        }
    }

    /** As {@code howdah_internal.job.more} has it. */
    @Nullable
    String more() {
        if (unusual == null) return null;
        List<String> all = new ArrayList<>();
        if (unusual.attempts() > 0) all.add("\"attempts\": " + unusual.attempts());
        if (unusual.timeoutMicros() > 0)
            all.add("\"timeout\": "
                    + BigDecimal.valueOf(unusual.timeoutMicros(), 6).toPlainString());
        if (unusual.workflow() != 0) all.add("\"flow\": " + unusual.workflow());
        if (unusual.trace() != null) all.add("\"trace\": " + unusual.trace());
        String options = unusual.options();
        if (options != null) all.add(options.substring(1, options.length() - 1));
        if (lane.log() && unusual.order() != null) {
            String ordered = Objects.requireNonNull(JobOptions.with(null, "ordered", unusual.order()));
            all.add(ordered.substring(1, ordered.length() - 1));
        }
        return all.isEmpty() ? null : "{" + String.join(", ", all) + "}";
    }

    /** Whether that one differs in nothing. */
    boolean isLike(InsertTemplate other) {
        return lane.id() == other.lane.id()
                && kind.equals(other.kind)
                && priority == other.priority
                && delayMicros == other.delayMicros
                && Objects.equals(at, other.at)
                && Objects.equals(unusual, other.unusual);
    }

    /** Whether only one with its key may wait or run. */
    boolean isKeyed() {
        return unusual != null && (unusual.key() != null || unusual.unique() != null);
    }

    /** Whether it is in a group, whose lane the database finds, or has a weight, which the database checks. */
    boolean isGrouped() {
        return unusual != null
                && (JobOptions.of(unusual.options(), "group") != null
                        || JobOptions.of(unusual.options(), "weight") != null);
    }

    /** The key for which jobs run one after the other, or null; an entry of a log queue has its key among its attributes. */
    @Nullable
    String order() {
        return unusual == null || lane.log() ? null : unusual.order();
    }
}
