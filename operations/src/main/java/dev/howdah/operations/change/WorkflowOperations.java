package dev.howdah.operations.change;

import dev.howdah.job.workflow.WorkflowSummary.State;
import dev.howdah.operations.ChangeOutcome;
import dev.howdah.operations.Operation;
import dev.howdah.operations.Parameter;
import dev.howdah.operations.Role;
import dev.howdah.operations.Subject;
import dev.howdah.operations.Values;
import dev.howdah.operations.value.IdValue;
import dev.howdah.operations.value.WholeValue;
import java.util.List;
import java.util.Set;

/** The operations on workflows that exist. */
public final class WorkflowOperations {
    private static final Parameter<Long> ID = Parameter.of("id", new IdValue(), "The id of the workflow.");

    private static final Parameter<Integer> JOBS =
            Parameter.of("jobs", new WholeValue(0, Integer.MAX_VALUE), "Jobs that were cancelled, or are to be.");

    /** Where a cancellation that finds no job changes nothing. */
    private static final Set<State> OVER = Set.of(State.CANCELLING, State.ENDED);

    private static final Subject WORKFLOW = new Subject(
            "workflow",
            "workflows",
            List.of(ID),
            "/workflows/{id}",
            "job workflow",
            (engine, key) -> engine.jobs().findWorkflow(key.get(ID)).orElse(null));

    public static final Operation CLOSE = Operation.of(
                    WORKFLOW,
                    "close",
                    Role.OPERATOR,
                    "Close an open workflow: no more jobs are added to it, and it ends when all of its jobs have.")
            .ask("Close {target}? No more jobs can be added to it.")
            .say("{target} is closed.", "{target} was not open.")
            .does(call -> ChangeOutcome.of(call.engine().jobs().closeWorkflow(call.key(ID))));

    public static final Operation CANCEL = Operation.of(
                    WORKFLOW,
                    "cancel",
                    Role.OPERATOR,
                    "Cancel all jobs of a workflow that have not ended. Jobs for the end of the workflow run.")
            .returns(JOBS)
            .ask(
                    "Cancel {target}? Its jobs that wait will not run, those that run are interrupted. What runs when all have ended, runs.")
            .say("{target} is cancelled.", "{target} was not changed: it has ended, or is being cancelled.")
            .does(call -> {
                boolean isOver = call.engine()
                        .jobs()
                        .findWorkflow(call.key(ID))
                        .filter(each -> OVER.contains(each.state()))
                        .isPresent();
                int jobs = Math.toIntExact(call.engine().jobs().cancelWorkflow(call.key(ID)));
                ChangeOutcome outcome = ChangeOutcome.of(jobs > 0 || !isOver).with(JOBS, jobs);
                return jobs == 0
                        ? outcome
                        : outcome.said(jobs + (jobs == 1 ? " job of {target} is" : " jobs of {target} are")
                                + " cancelled, or will be.");
            });

    /** All of them. */
    public static final List<Operation> ALL = List.of(CLOSE, CANCEL);

    private WorkflowOperations() {}

    /** The key of a workflow. */
    public static Values key(long id) {
        return Values.NONE.with(ID, id);
    }
}
