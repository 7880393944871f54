package dev.howdah.sweep;

import java.util.List;

/** Thrown when a sweep is refused for a reason that {@link SweepBuilder#force} overrides. */
public class SweepRefusedException extends SweepException {
    private static final long serialVersionUID = 1;

    @SuppressWarnings("serial") // List.copyOf makes one that is
    private final List<String> objections;

    /** @param objections the reasons, each with its remedy; not empty */
    public SweepRefusedException(List<String> objections) {
        super(String.join("; ", objections) + "; force() starts it all the same");
        this.objections = List.copyOf(objections);
    }

    /** The reasons, each with its remedy. */
    public List<String> objections() {
        return objections;
    }
}
