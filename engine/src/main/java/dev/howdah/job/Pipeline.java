package dev.howdah.job;

import dev.howdah.job.internal.handler.HandlerRegistration;
import dev.howdah.job.internal.store.JobNames;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Stages that a job passes through, one after the other. The pipeline is a queue, each stage a kind of it ({@code
 * order.check}), with its own handler, retries and timeout; the job keeps its id in all stages. A stage ends with
 * {@link Outcome#next(Object)}, which moves the job to the next one in the transaction that finishes this one, or with
 * {@link Outcome#done}, which ends it there. Immutable: each method returns a copy.
 *
 * <pre>{@code
 * Pipeline orders = Pipeline.of("order")
 *         .stage("check", Order.class, (order, job) -> order.isEmpty() ? Outcome.done() : Outcome.next(order))
 *         .stage("charge", Order.class, (order, job) -> Outcome.next(charge(order)))
 *         .stage("ship", Receipt.class, (receipt, job) -> ship(receipt));
 * }</pre>
 */
public final class Pipeline {
    private final String name;
    private final List<Stage<?>> stages;

    /** One stage. */
    record Stage<T>(String name, Kind<T> kind, HandlerRegistration.Body<T> body, boolean transactional) {}

    private Pipeline(String name, List<Stage<?>> stages) {
        this.name = name;
        this.stages = stages;
    }

    /**
     * Makes a pipeline without stages.
     *
     * @param name also of its queue; 1 to 200 characters
     */
    public static Pipeline of(String name) {
        return new Pipeline(JobNames.checkNew("pipeline", name), List.of());
    }

    /**
     * Adds a stage after the others.
     *
     * @param stage its name, together with the name of the pipeline at most 199 characters
     * @throws IllegalArgumentException if there is one of that name
     */
    public <T> Pipeline stage(String stage, Class<T> type, OutcomeHandler<T> handler) {
        return stage(stage, type, (payload, job, connection) -> handler.handle(payload, job), false);
    }

    /**
     * As {@link #stage}, for a handler that runs in the job's own transaction: its effects in the database, the end of
     * the stage and the move to the next one commit together.
     *
     * @throws IllegalArgumentException as {@link #stage}
     */
    public <T> Pipeline stageInTransaction(String stage, Class<T> type, TransactionalOutcomeHandler<T> handler) {
        return stage(stage, type, HandlerRegistration.Body.inTransaction(handler), true);
    }

    private <T> Pipeline stage(String stage, Class<T> type, HandlerRegistration.Body<T> body, boolean transactional) {
        JobNames.checkNew("stage", stage);
        if (stages.stream().anyMatch(each -> each.name().equals(stage)))
            throw new IllegalArgumentException("pipeline " + name + " has a stage " + stage + " already");
        List<Stage<?>> more = new ArrayList<>(stages);
        more.add(new Stage<>(stage, Kind.of(name + "." + stage, type), body, transactional));
        return new Pipeline(name, List.copyOf(more));
    }

    /**
     * Makes a job for the first stage, to be added with {@link Jobs#add(NewJob)}.
     *
     * @throws IllegalStateException if the pipeline has no stage
     */
    public NewJob<Object> job(Object payload) {
        if (stages.isEmpty()) throw new IllegalStateException("pipeline " + name + " has no stage");
        return jobAt(stages.get(0).name(), payload);
    }

    /**
     * Makes a job that starts at that stage.
     *
     * @throws IllegalArgumentException if there is none of that name
     */
    public NewJob<Object> jobAt(String stage, Object payload) {
        return NewJob.of(Kind.of(find(stage).kind().name(), Object.class), payload)
                .queue(name);
    }

    String name() {
        return name;
    }

    List<Stage<?>> stages() {
        return stages;
    }

    Stage<?> find(String stage) {
        for (Stage<?> each : stages) if (each.name().equals(stage)) return each;
        throw new IllegalArgumentException("pipeline " + name + " has no stage " + stage + ", only "
                + stages.stream().map(Stage::name).toList());
    }

    /** Resolves the outcome of a stage to the queue and kind of the next one. */
    Outcome resolve(Stage<?> stage, Outcome said) {
        if (!(said instanceof Outcome.Next next)) return said;
        try {
            return new Outcome.MoveTo(name, target(stage, next.stage()).kind().name(), next.payload());
        } catch (IllegalArgumentException e) {
            return Outcome.fail(e.getMessage());
        }
    }

    private Stage<?> target(Stage<?> stage, @Nullable String named) {
        if (named != null) return find(named);
        int next = stages.indexOf(stage) + 1;
        if (next >= stages.size())
            throw new IllegalArgumentException(
                    "stage " + stage.name() + " is the last of pipeline " + name + ": there is no next one");
        return stages.get(next);
    }
}
