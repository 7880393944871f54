package dev.howdah.job.query;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of jobs.
 *
 * @param jobs the newest first: by id; those that are done by the time at which they were claimed
 * @param next the query of the next page; null: this is the last page
 */
public record JobPage(List<JobSummary> jobs, @Nullable JobQuery next) {
    /** Copies the list. */
    public JobPage {
        jobs = List.copyOf(jobs);
    }
}
