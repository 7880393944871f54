package dev.howdah.reach.internal.probe;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The steps of a try, one after the other. For one thread. */
public final class ProbeSteps {
    /** How a step has ended. */
    public enum Outcome {
        OK,
        SKIPPED,
        FAILED
    }

    /** @param hint what may be done; null where there is nothing to add */
    public record Step(
            String name,
            Outcome outcome,
            String detail,
            @Nullable String hint) {}

    private final List<Step> ended = new ArrayList<>();
    private @Nullable String running;

    /** Begins a step. */
    public void begin(String name) {
        running = name;
    }

    /** The step that was begun has succeeded. */
    public void done(String detail) {
        end(Outcome.OK, detail, null);
    }

    /** The step that was begun has failed; without one it is the whole try. */
    public void failed(String detail, @Nullable String hint) {
        end(Outcome.FAILED, detail, hint);
    }

    /** A step that could not be made without doing more than to connect. */
    public void skipped(String name, String reason) {
        running = name;
        end(Outcome.SKIPPED, reason, null);
    }

    private void end(Outcome outcome, String detail, @Nullable String hint) {
        ended.add(new Step(running == null ? "target" : running, outcome, detail, hint));
        running = null;
    }

    /** Those that have ended. */
    public List<Step> all() {
        return List.copyOf(ended);
    }
}
