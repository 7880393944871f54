package dev.howdah.job.query;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What became of a job.
 *
 * @param queue the queue that it is or was in
 * @param attempt the attempts that have begun
 * @param key its key; null: it has none
 * @param tags sorted
 * @param metadata an object of JSON; null: it has none
 * @param error of its latest attempt; null: there is none
 */
public record JobEvent(
        long id,
        String queue,
        String kind,
        JobState state,
        int attempt,
        @Nullable String key,
        List<String> tags,
        @Nullable String metadata,
        @Nullable String error) {
    /** Copies the tags. */
    public JobEvent {
        tags = List.copyOf(tags);
    }
}
