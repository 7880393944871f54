package dev.howdah.job.query;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A job as it was when it was read.
 *
 * @param priority -100 to 100; lower runs first
 * @param attempt the number of attempts that have begun; while the job runs, the present one included
 * @param created when it was added
 * @param runAt when it is due, or was for its latest attempt
 * @param begun when its latest attempt began; null if it waits or has failed
 * @param ended when it was done, failed or was cancelled; null before
 * @param node the node of its latest attempt; null if it waits
 * @param error of its latest attempt; null if there is none
 * @param result JSON of the handler's result; null if there is none
 * @param key null if it has none
 * @param payload as it was added, JSON; null if it has been removed
 * @param tags sorted; empty if it has none
 * @param metadata a JSON object; null if it has none
 */
public record JobSummary(
        long id,
        String queue,
        String kind,
        JobState state,
        int priority,
        int attempt,
        @Nullable String key,
        Instant created,
        Instant runAt,
        @Nullable Instant begun,
        @Nullable Instant ended,
        @Nullable Integer node,
        @Nullable String error,
        @Nullable String result,
        @Nullable String payload,
        List<String> tags,
        @Nullable String metadata) {}
