package dev.howdah.job.workflow;

import dev.howdah.job.NewJob;
import dev.howdah.job.internal.store.JobNames;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Jobs to add together with {@link Workflows#add(Workflow)}. Some may wait for others; others again run when all have ended. Immutable: each
 * method returns a copy.
 *
 * <pre>{@code
 * Workflow report = Workflow.of("report")
 *         .job("orders", NewJob.of(COUNT, "orders"))
 *         .job("visits", NewJob.of(COUNT, "visits"))
 *         .job("merge", NewJob.of(MERGE, month), After.done("orders", "visits"))
 *         .whenFailed(NewJob.of(ALERT, month));
 * }</pre>
 *
 * <p>A job of a workflow has neither a key nor an order key.
 */
public final class Workflow {
    /**
     * A job with a name.
     *
     * @param after null: it waits for no other
     */
    public record Named(
            String name, NewJob<?> job, @Nullable After after) {}

    private final String name;
    private final boolean open;
    private final List<Named> named;
    private final List<NewJob<?>> jobs;
    private final Map<After.Condition, NewJob<?>> callbacks;

    private Workflow(
            String name,
            boolean open,
            List<Named> named,
            List<NewJob<?>> jobs,
            Map<After.Condition, NewJob<?>> callbacks) {
        this.name = name;
        this.open = open;
        this.named = named;
        this.jobs = jobs;
        this.callbacks = callbacks;
    }

    /**
     * Makes a workflow without jobs.
     *
     * @param name for people; several may have the same; 1 to 200 characters
     * @throws IllegalArgumentException if the name is empty or longer
     */
    public static Workflow of(String name) {
        return new Workflow(checkName("workflow", name), false, List.of(), List.of(), Map.of());
    }

    private static String checkName(String what, String name) {
        return JobNames.checkNew(what, name);
    }

    private static NewJob<?> check(NewJob<?> job) {
        if (job.unique() != null || job.orderKey() != null)
            throw new IllegalArgumentException("a job " + job.kind().name() + " of a workflow with "
                    + (job.orderKey() != null
                            ? "the order key " + job.orderKey()
                            : job.key() != null ? "the key " + job.key() : "a payload as its key")
                    + ": it has none, since it must be added and must not wait for jobs of others");
        return job;
    }

    /**
     * Adds a job with a name, which runs at once. Its result is kept with the workflow, for those that wait for it.
     *
     * @param name unique in the workflow; 1 to 200 characters
     * @throws IllegalArgumentException if the name is not right, or the job has a key
     */
    public Workflow job(String name, NewJob<?> job) {
        return with(new Named(checkName("job of a workflow", name), check(job), null));
    }

    /**
     * Adds a job with a name that waits for others, which may be added to the workflow before or after it.
     *
     * @throws IllegalArgumentException as {@link #job(String, NewJob)}
     */
    public Workflow job(String name, NewJob<?> job, After after) {
        return with(new Named(checkName("job of a workflow", name), check(job), after));
    }

    private Workflow with(Named job) {
        for (Named each : named)
            if (each.name().equals(job.name()))
                throw new IllegalArgumentException("workflow " + name + " has a job " + job.name() + " already");
        List<Named> more = new ArrayList<>(named);
        more.add(job);
        return new Workflow(name, open, List.copyOf(more), jobs, callbacks);
    }

    /**
     * Adds jobs without names, which run at once. Each costs hardly more than a job outside of a workflow.
     *
     * @throws IllegalArgumentException if one has a key
     */
    public Workflow jobs(List<? extends NewJob<?>> added) {
        added.forEach(Workflow::check);
        List<NewJob<?>> more = new ArrayList<>(jobs);
        more.addAll(added);
        return new Workflow(name, open, named, List.copyOf(more), callbacks);
    }

    /** Lets jobs be added later, {@link Workflows#addJobs(long, List)} and {@link Workflows#addJobs(long, Workflow)}. It ends only after {@link Workflows#close}. */
    public Workflow open() {
        return new Workflow(name, true, named, jobs, callbacks);
    }

    /** Sets the job that runs once when all jobs of the workflow have ended, whether they are done, have failed or were cancelled. */
    public Workflow whenEnded(NewJob<?> job) {
        return with(After.Condition.ENDED, job);
    }

    /** Sets the job that runs once when all jobs of the workflow are done. */
    public Workflow whenDone(NewJob<?> job) {
        return with(After.Condition.DONE, job);
    }

    /** Sets the job that runs once when all jobs of the workflow have ended, and one at least has failed or was cancelled. */
    public Workflow whenFailed(NewJob<?> job) {
        return with(After.Condition.FAILED, job);
    }

    private Workflow with(After.Condition condition, NewJob<?> job) {
        Map<After.Condition, NewJob<?>> more = new LinkedHashMap<>(callbacks);
        more.put(condition, check(job));
        return new Workflow(name, open, named, jobs, Map.copyOf(more));
    }

    /** The name. */
    public String name() {
        return name;
    }

    /** Returns true if jobs may be added later. */
    public boolean isOpen() {
        return open;
    }

    /** The jobs with names. */
    public List<Named> named() {
        return named;
    }

    /** The jobs without names. */
    public List<NewJob<?>> jobs() {
        return jobs;
    }

    /** The jobs that run when all have ended, by the condition. */
    public Map<After.Condition, NewJob<?>> callbacks() {
        return callbacks;
    }
}
