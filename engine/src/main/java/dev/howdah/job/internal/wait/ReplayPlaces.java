package dev.howdah.job.internal.wait;

import dev.howdah.job.Job;
import dev.howdah.job.wait.JobSuspended;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a run is in what earlier runs of its job have recorded. What is new before all of that was asked for is a divergence: the code of the handler
 * is another one, and a renamed step would have its effect twice. The job is suspended until a program comes that it fits.
 */
public final class ReplayPlaces {
    private static final Logger log = LoggerFactory.getLogger(ReplayPlaces.class);

    private final Job job;
    private final JobWaits waits;
    private final boolean isResumed;
    private final int divergences;
    private final Supplier<@Nullable String> stepLeft;

    ReplayPlaces(Job job, JobWaits waits, boolean isResumed, int divergences, Supplier<@Nullable String> stepLeft) {
        this.job = job;
        this.waits = waits;
        this.isResumed = isResumed;
        this.divergences = divergences;
        this.stepLeft = stepLeft;
    }

    /** The first record of an earlier run that this one has not asked for; null: none, or the job has not waited before. */
    @Nullable
    String leftOver() {
        if (!isResumed) return null;
        String step = stepLeft.get();
        return step == null ? waits.unasked() : "step \"" + step + '"';
    }

    /** Refuses what has no record before it does anything, where records are left. */
    public void checkNew(String type, String name) {
        String left = leftOver();
        if (left != null)
            throw diverge(
                    name,
                    "its handler asks for " + type + " \"" + name + "\", which is not recorded, before " + left
                            + ", which an earlier run has recorded");
    }

    /** The handler has come to its end: all records have to be asked for. */
    public void checkEnd() {
        String left = leftOver();
        if (left != null)
            throw diverge(
                    left, "its handler has ended without asking for " + left + ", which an earlier run has recorded");
    }

    /** Ends the run: the records do not fit the code, and this was no attempt. */
    public JobSuspended diverge(String name, String error) {
        log.warn(
                "job {} ({}) has diverged, and waits for a program that its records fit: {}",
                job.id(),
                job.kind(),
                error);
        return waits.diverge(name, error, divergences);
    }
}
