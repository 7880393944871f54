package dev.howdah.process.internal.worker;

import dev.howdah.internal.error.ErrorText;
import dev.howdah.internal.sql.SqlErrors;
import dev.howdah.process.ProcessException;
import dev.howdah.process.internal.step.ProcessStore;
import dev.howdah.process.internal.step.Step;
import dev.howdah.process.internal.step.StepEvaluator;
import dev.howdah.process.internal.step.StepResult;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes the results of steps that have ended, answers the callers, and starts the steps that follow. Used by a writer's thread. */
final class StepWriter implements WriteRetry.Target<Step> {
    private static final Logger log = LoggerFactory.getLogger(StepWriter.class);
    private static final long AGAIN_MILLIS = 200;

    private final WriterSession session;
    private final StepRunner stepRunner;

    StepWriter(WriterSession session, StepRunner stepRunner) {
        this.session = session;
        this.stepRunner = stepRunner;
    }

    @Override
    public boolean isOver() {
        return stepRunner.isOver();
    }

    @Override
    public void worked() {
        stepRunner.outage().worked();
    }

    @Override
    public void failed(SQLException error) throws InterruptedException {
        stepRunner.outage().failed("steps that have ended cannot be written", ErrorText.line(error));
        // Steps that were written all the same are refused the next time.
        stepRunner.mayHaveForgotten();
        if (SqlErrors.isConnectionLost(error)) session.close();
        TimeUnit.MILLISECONDS.sleep(AGAIN_MILLIS);
    }

    @Override
    public void closeSession() {
        session.close();
    }

    @Override
    public boolean refuse(Step step, String reason) {
        log.warn(
                "process {} of {}: {}",
                step.subject().id(),
                step.served().namespace().name(),
                reason);
        if (step.isRefused()) {
            // Not even that it has failed can be written; the node that rescues this one finds it.
            stepRunner.closed(step);
            return false;
        }
        step.refuse(StepEvaluator.refused(step, reason));
        return true;
    }

    @Override
    public void write(List<Step> steps) throws SQLException {
        List<Step> staying = new ArrayList<>(steps.size());
        List<Step> removing = new ArrayList<>();
        // Processes are locked in this order, so that no two writers wait for each other.
        List<Step> ordered = new ArrayList<>(steps);
        ordered.sort(Comparator.comparingLong(Step::number));
        for (Step step : ordered) (step.outcome().removes() ? removing : staying).add(step);
        stepRunner.claiming().lock();
        try {
            if (!staying.isEmpty()) commit(staying);
            if (!removing.isEmpty()) remove(removing);
        } finally {
            stepRunner.claiming().unlock();
        }
    }

    private void commit(List<Step> steps) throws SQLException {
        ProcessStore store = new ProcessStore(session.open(), stepRunner.id(), stepRunner.served());
        long began = System.nanoTime();
        Map<Step, ProcessStore.Next> written = store.commit(steps, !stepRunner.isStopping());
        long nanos = System.nanoTime() - began;
        FollowUpSteps followUps = new FollowUpSteps(stepRunner);
        for (Step step : steps) {
            ProcessStore.Next next = written.get(step);
            if (next == null) {
                refused(step);
                continue;
            }
            step.served().meter().completed(step, nanos);
            answer(step);
            followUps.begin(step, next);
        }
        followUps.load(store);
    }

    private void remove(List<Step> steps) throws SQLException {
        long began = System.nanoTime();
        ProcessStore.Gone gone = new ProcessStore(session.open(), stepRunner.id(), stepRunner.served()).remove(steps);
        long nanos = System.nanoTime() - began;
        for (Step step : steps) {
            if (!gone.numbers().contains(step.number())) {
                refused(step);
                continue;
            }
            step.served().meter().removed(step, nanos);
            answer(step);
            stepRunner.closed(step);
        }
        for (ProcessStore.Waiting each : gone.callers())
            stepRunner
                    .callers()
                    .answer(each.task(), each.token(), null, ProcessException.Reason.PROCESS_NOT_FOUND.message());
    }

    private void answer(Step step) {
        Step.Errand errand = step.errand();
        StepResult result = step.outcome();
        if (!errand.timer())
            stepRunner.callers().answer(errand.id(), errand.token(), result.response(), result.error());
    }

    /** Another node has the process, or the step was written before and the answer was lost. */
    private void refused(Step step) {
        log.warn(
                "what task {} of process {} came to was refused: its stepRunner was taken for dead, or it is written already",
                step.errand().id(),
                step.subject().id());
        step.served().meter().refused(step);
        stepRunner.closed(step);
        stepRunner.mayHaveForgotten();
    }
}
