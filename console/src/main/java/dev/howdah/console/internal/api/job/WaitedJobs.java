package dev.howdah.console.internal.api.job;

import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.job.Jobs;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobSummary;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Waits for the end of jobs, without a thread for each. Safe for use by many threads. */
public final class WaitedJobs implements AutoCloseable {
    private static final int MOST = 1_000;
    private static final Set<JobState> ENDS = Set.of(JobState.DONE, JobState.FAILED, JobState.CANCELLED);

    private final ConsoleData data;
    private final DataSource sessions;
    private final Semaphore places = new Semaphore(MOST);
    private @Nullable Jobs jobs;
    private boolean closed;

    /** @param sessions from where the one comes that listens, while requests wait */
    public WaitedJobs(ConsoleData data, DataSource sessions) {
        this.data = data;
        this.sessions = sessions;
    }

    private synchronized Jobs jobs() {
        if (closed) throw new ApiProblemException(503, "unavailable", "the program ends");
        Jobs known = jobs;
        if (known == null)
            jobs = known = Jobs.on(sessions).schema(data.schema()).start();
        return known;
    }

    /**
     * The job when it has ended, or as it is after so many seconds.
     *
     * @throws ApiProblemException if too many wait
     */
    CompletableFuture<Optional<JobSummary>> await(JobSummary job, int seconds) {
        if (seconds == 0 || ENDS.contains(job.state())) return CompletableFuture.completedFuture(Optional.of(job));
        if (!places.tryAcquire())
            throw new ApiProblemException(503, "unavailable", MOST + " requests wait for jobs already");
        try {
            CompletableFuture<JobSummary> end = jobs().awaitAsync(job.id());
            return end.copy().orTimeout(seconds, TimeUnit.SECONDS).handle((ended, late) -> {
                places.release();
                end.cancel(false);
                return ended == null ? data.jobs().find(job.id()) : Optional.of(ended);
            });
        } catch (RuntimeException e) {
            places.release();
            throw e;
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (jobs != null) jobs.close();
    }
}
