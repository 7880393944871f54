package dev.howdah.process.internal.worker;

import dev.howdah.process.HistoryRange;
import dev.howdah.process.Payload;
import dev.howdah.process.TaskType;
import dev.howdah.process.internal.step.ProcessStore;
import dev.howdah.process.internal.step.Step;
import dev.howdah.process.internal.step.StepDisposition;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The steps that follow those of one commit, for processes that the node has kept. Used by a writer's thread. */
final class FollowUpSteps {
    /** So many immediate steps belong to the trace of the call that led to them. */
    private static final int TRACED = 100;

    private final StepRunner stepRunner;
    private final Map<Long, Integer> chains = new HashMap<>();
    private final List<Step> unknown = new ArrayList<>();

    FollowUpSteps(StepRunner stepRunner) {
        this.stepRunner = stepRunner;
    }

    /** Begins the step that follows a step that was written, or gives its place back. */
    void begin(Step step, ProcessStore.Next next) {
        if (next.dueMillis() != null) stepRunner.signal().ringIn(next.dueMillis());
        if (next.go() == null) stepRunner.closed(step);
        else if (!next.stays()) {
            stepRunner.closed(step);
            stepRunner.signal().ring();
        } else {
            Step following = following(step, next);
            if (following != null) {
                stepRunner.run(following);
            } else {
                chains.put(step.number(), step.chain() + 1);
                unknown.add(step);
            }
        }
    }

    private static @Nullable Step following(Step step, ProcessStore.Next next) {
        HistoryRange usual = step.served().namespace().history();
        if ("c".equals(next.go())) {
            if (next.call() == null) return null;
            Instant timer = next.type() == null ? null : next.at();
            return step.next(next.call(), next.range() == null ? usual : next.range(), timer, next.written());
        }
        if (next.type() == null || next.at() == null) return null;
        step.served().meter().late(Duration.between(next.at(), next.written()).toNanos());
        Payload context = step.outcome().disposition() == StepDisposition.SCHEDULED
                ? step.errand().context()
                : Payload.of(next.context(), step.served().codec());
        Payload none = Payload.of(null, step.served().codec());
        String trace = step.chain() < TRACED ? step.errand().trace() : null;
        Step.Errand errand = new Step.Errand(
                next.task(),
                TaskType.of(next.type()),
                true,
                none,
                context,
                next.at(),
                next.attempts(),
                false,
                trace,
                null);
        return step.next(errand, usual, null, next.written());
    }

    /** Begins the steps of which only the database knows what they see. */
    void load(ProcessStore store) throws SQLException {
        if (chains.isEmpty()) return;
        List<Step> loaded = List.of();
        try {
            loaded = store.load(chains.keySet(), chains);
        } finally {
            // The place goes on to the step that follows; without one it is free, and forgotten claims are given back.
            for (Step step : unknown) {
                boolean followed = loaded.stream().anyMatch(each -> each.number() == step.number());
                if (!followed) {
                    stepRunner.closed(step);
                    stepRunner.mayHaveForgotten();
                }
            }
        }
        for (Step step : loaded) stepRunner.run(step);
    }
}
