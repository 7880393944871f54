package dev.howdah.job.wait;

import dev.howdah.job.query.JobState;
import org.jspecify.annotations.Nullable;

/**
 * A child of a job, as others see it.
 *
 * @param name by which the handler of its parent has added it
 * @param number which of that name, from 1
 * @param id of the job
 * @param parentEnd what becomes of it when its parent ends
 * @param state done, failed or cancelled; null: it has not ended
 * @param error the first line of its error
 */
public record JobChild(
        String name,
        int number,
        long id,
        String kind,
        ParentEnd parentEnd,
        @Nullable JobState state,
        @Nullable String error) {}
