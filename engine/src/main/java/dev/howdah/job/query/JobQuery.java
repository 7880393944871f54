package dev.howdah.job.query;

import dev.howdah.job.internal.store.JobNames;
import dev.howdah.job.internal.store.JobOptions;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The conditions of jobs to list, count or change: they are in one state and meet all of the others. Immutable: each method returns a copy.
 *
 * <p>The time of a job is that of its end; if it has not ended, that at which it was claimed; if it waits, that at which it is due.
 * Jobs that are done are looked for in the last two days, unless {@link #from} goes further back or a {@link #day} is given.
 *
 * @param state of the jobs
 * @param queue null: any
 * @param kind null: any
 * @param key null: with or without a key
 * @param error a part of the error's text; null: with or without an error
 * @param errorPattern the first line of the error with {@code ...} for each id, number and quoted part, as {@code howdah.error_pattern} makes
 *     it; null: any error
 * @param payload JSON that the payload contains, as the operator {@code @>} of {@code jsonb} says; null: any payload
 * @param tags of which the job has each; empty: with or without tags
 * @param metadata a JSON object that the metadata contain, as {@code @>} says, up to 4,096 bytes; null: with or without metadata
 * @param node of the latest attempt, the id of a node; only for jobs that run, are done, have failed or were cancelled; null: any
 * @param from the earliest time; null: any
 * @param until the time has to be before this; null: any
 * @param day on which the jobs were claimed, as in {@code howdah.jobs}; only for jobs that are done; null: any
 * @param order of the list
 * @param limit the number of jobs of a page, 1 to 10,000
 * @param after where the page begins, see {@link JobPage#next}; null: at the first job
 */
public record JobQuery(
        JobState state,
        @Nullable String queue,
        @Nullable String kind,
        @Nullable String key,
        @Nullable String error,
        @Nullable String errorPattern,
        @Nullable String payload,
        List<String> tags,
        @Nullable String metadata,
        @Nullable Integer node,
        @Nullable Instant from,
        @Nullable Instant until,
        @Nullable LocalDate day,
        JobOrder order,
        int limit,
        @Nullable String after) {
    private static final int LARGEST_PAGE = 10_000;

    /** @throws IllegalArgumentException if a name or a tag is empty or too long, the metadata are no JSON object or too large, the limit is out of bounds, {@code until} is not after {@code from}, a day is given for another state, a pattern for DONE, or a node that is not positive or for a state in which jobs have none */
    public JobQuery {
        Objects.requireNonNull(state, "a query of jobs needs a state, not null");
        Objects.requireNonNull(order, "a query of jobs needs an order, not null");
        if (queue != null) JobNames.check("queue", queue);
        if (kind != null) JobNames.check("kind", kind);
        tags = JobNames.checkTags(tags);
        if (metadata != null) metadata = JobOptions.checkMetadata(metadata);
        if (limit < 1 || limit > LARGEST_PAGE)
            throw new IllegalArgumentException("a page of " + limit + " jobs: it has to be 1 to " + LARGEST_PAGE);
        if (errorPattern != null && state == JobState.DONE)
            throw new IllegalArgumentException("the pattern of an error for jobs in the state DONE: these have none");
        if (node != null && node < 1)
            throw new IllegalArgumentException("the node " + node + ": ids of nodes are 1 or more");
        if (node != null && !hasNode(state))
            throw new IllegalArgumentException("the node " + node + " for jobs in the state " + state
                    + ": it is for RUNNING, DONE, FAILED and CANCELLED");
        if (from != null && until != null && !from.isBefore(until))
            throw new IllegalArgumentException("jobs from " + from + " until " + until + ": until has to be later");
        if (day != null && state != JobState.DONE)
            throw new IllegalArgumentException(
                    "the day " + day + " for jobs in the state " + state + ": it is for DONE");
        if (after != null && !after.matches("[0-9]{1,19}-[0-9]{1,19}"))
            throw new IllegalArgumentException("\"" + after + "\" is not where a page begins: take JobPage.next");
    }

    /** Jobs in that state, 100 on a page. */
    public static JobQuery in(JobState state) {
        return new JobQuery(
                state,
                null,
                null,
                null,
                null,
                null,
                null,
                List.of(),
                null,
                null,
                null,
                null,
                null,
                JobOrder.NEWEST,
                100,
                null);
    }

    /** Whether jobs in that state have a node, which can be asked for: the others wait, and which node tried them last is not kept. */
    public static boolean hasNode(JobState state) {
        return switch (state) {
            case RUNNING, DONE, FAILED, CANCELLED -> true;
            case WAITING, PLANNED, RETRYING, SUSPENDED, FOLLOWING -> false;
        };
    }

    /** Only jobs of that queue. */
    public JobQuery queue(String name) {
        return with(copy -> copy.queue = name);
    }

    /** Only jobs of that kind. */
    public JobQuery kind(String name) {
        return with(copy -> copy.kind = name);
    }

    /** Only jobs with that key. */
    public JobQuery key(String value) {
        return with(copy -> copy.key = value);
    }

    /** Only jobs whose error contains that text: that of the latest attempt, of jobs that wait its first line. */
    public JobQuery error(String part) {
        return with(copy -> copy.error = part);
    }

    /**
     * Only jobs whose error has that pattern: its first line, up to 500 characters, with {@code ...} for each id, number and quoted
     * part, as the function {@code howdah.error_pattern} makes it.
     */
    public JobQuery errorPattern(String pattern) {
        return with(copy -> copy.errorPattern = pattern);
    }

    /** Only jobs whose payload contains that JSON: {@code {"customer": 7}} finds each payload with that field and value. */
    public JobQuery payload(String json) {
        return with(copy -> copy.payload = json);
    }

    /** Only jobs with that tag, beside those of earlier calls. */
    public JobQuery tag(String name) {
        List<String> more = new ArrayList<>(tags);
        more.add(name);
        return with(copy -> copy.tags = more);
    }

    /**
     * Only jobs whose metadata contain that JSON object: {@code {"source": "import"}} finds each job with that field and value.
     *
     * @throws IllegalArgumentException if it is no JSON object, or larger than metadata can be
     */
    public JobQuery metadata(String json) {
        return with(copy -> copy.metadata = json);
    }

    /** Only jobs whose latest attempt that node has made, or makes: see {@link #hasNode}. */
    public JobQuery node(int id) {
        return with(copy -> copy.node = id);
    }

    /** Only jobs of that time or later. */
    public JobQuery from(Instant time) {
        return with(copy -> copy.from = time);
    }

    /** Only jobs of an earlier time. */
    public JobQuery until(Instant time) {
        return with(copy -> copy.until = time);
    }

    /** Only jobs that are done and were claimed on that day, as the column {@code day} of {@code howdah.jobs} has it. */
    public JobQuery day(LocalDate date) {
        return with(copy -> copy.day = date);
    }

    /** The first page in that order. */
    public JobQuery order(JobOrder chosen) {
        return with(copy -> {
            copy.order = chosen;
            copy.after = null;
        });
    }

    /** The number of jobs on a page. */
    public JobQuery limit(int jobs) {
        return with(copy -> copy.limit = jobs);
    }

    /** The page that begins there. */
    public JobQuery after(@Nullable String page) {
        return with(copy -> copy.after = page);
    }

    private JobQuery with(Consumer<Copy> change) {
        Copy copy = new Copy(this);
        change.accept(copy);
        return new JobQuery(
                state,
                copy.queue,
                copy.kind,
                copy.key,
                copy.error,
                copy.errorPattern,
                copy.payload,
                copy.tags,
                copy.metadata,
                copy.node,
                copy.from,
                copy.until,
                copy.day,
                copy.order,
                copy.limit,
                copy.after);
    }

    /** A copy, before it is checked. */
    private static final class Copy {
        private @Nullable String queue;
        private @Nullable String kind;
        private @Nullable String key;
        private @Nullable String error;
        private @Nullable String errorPattern;
        private @Nullable String payload;
        private List<String> tags;
        private @Nullable String metadata;
        private @Nullable Integer node;
        private @Nullable Instant from;
        private @Nullable Instant until;
        private @Nullable LocalDate day;
        private JobOrder order;
        private int limit;
        private @Nullable String after;

        Copy(JobQuery of) {
            queue = of.queue;
            kind = of.kind;
            key = of.key;
            error = of.error;
            errorPattern = of.errorPattern;
            payload = of.payload;
            tags = of.tags;
            metadata = of.metadata;
            node = of.node;
            from = of.from;
            until = of.until;
            day = of.day;
            order = of.order;
            limit = of.limit;
            after = of.after;
        }
    }
}
