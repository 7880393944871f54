package dev.howdah.job.query;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of jobs.
 *
 * @param jobs in the order of the query: by id; those that are done by the time at which they were claimed
 * @param next the query of the next page; null: this is the last page
 * @param first the place of the first job: the query in the opposite order {@linkplain JobQuery#after after} it gives the page before this one, backwards; null: it has none
 * @param searchedTo how far a search has looked that was ended by the bound on what it reads; null: it has looked at all, or has found a page
 */
public record JobPage(
        List<JobSummary> jobs,
        @Nullable JobQuery next,
        @Nullable String first,
        @Nullable SearchedTo searchedTo) {
    /** Copies the list. */
    public JobPage {
        jobs = List.copyOf(jobs);
    }

    /**
     * How far a search has looked.
     *
     * @param job the jobs with larger ids were looked at, where the oldest come first those with smaller ones; 0 for jobs that are done
     * @param time for jobs that are done: those that were claimed later, or earlier, were looked at; null for other states
     */
    public record SearchedTo(long job, @Nullable Instant time) {}
}
