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
    private final @Nullable String version;
    private final Supplier<@Nullable LeftStep> stepLeft;

    /**
     * A recorded step that a run has not asked for.
     *
     * @param behind the number of the last wait before it
     */
    public record LeftStep(String name, int behind) {}

    /**
     * A record that a run has not asked for.
     *
     * @param words for people: {@code sleep "cool down"}
     * @param node that wrote it; null: that is not known
     */
    record Left(String words, @Nullable Integer node) {}

    ReplayPlaces(
            Job job,
            JobWaits waits,
            boolean isResumed,
            int divergences,
            @Nullable String version,
            Supplier<@Nullable LeftStep> stepLeft) {
        this.version = version;
        this.job = job;
        this.waits = waits;
        this.isResumed = isResumed;
        this.divergences = divergences;
        this.stepLeft = stepLeft;
    }

    /** The first record of an earlier run that this one has not asked for; null: none, or the job has not waited before. */
    @Nullable
    Left leftOver() {
        if (!isResumed) return null;
        LeftStep step = stepLeft.get();
        // The run that has done the step has ended in the next wait.
        return step == null ? waits.unasked() : new Left("step \"" + step.name() + '"', waits.node(step.behind() + 1));
    }

    private String recorded(Left left) {
        return left.words() + ", which "
                + (left.node() == null ? "an earlier run" : "an earlier run, on node " + left.node())
                + (version == null ? "" : " under version \"" + version + "\" of its handler,") + " has recorded";
    }

    /** Refuses what has no record before it does anything, where records are left. */
    public void checkNew(String type, String name) {
        Left left = leftOver();
        if (left != null)
            throw diverge(
                    name,
                    "its handler asks for " + type + " \"" + name + "\", which is not recorded, before "
                            + recorded(left));
    }

    /** The handler has come to its end: all records have to be asked for. */
    public void checkEnd() {
        Left left = leftOver();
        if (left != null) throw diverge(left.words(), "its handler has ended without asking for " + recorded(left));
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
