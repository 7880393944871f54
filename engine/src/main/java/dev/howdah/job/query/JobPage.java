package dev.howdah.job.query;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of jobs.
 *
 * @param jobs the newest first: by id, what is done by the time at which it was claimed
 * @param next the query of the next page; null: this is the last page
 */
public record JobPage(List<JobSummary> jobs, @Nullable JobQuery next) {
    /** Copies the list. */
    public JobPage {
        jobs = List.copyOf(jobs);
    }
}
