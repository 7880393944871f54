package dev.howdah.sweep;

import java.util.List;

/** A sweep was not started because something speaks against it that {@link SweepBuilder#anyway} overrides. */
public class SweepRefusedException extends SweepException {
    private static final long serialVersionUID = 1;

    @SuppressWarnings("serial") // List.copyOf makes one that is
    private final List<String> objections;

    /** @param objections what speaks against the sweep, with what would help; not empty */
    public SweepRefusedException(List<String> objections) {
        super(String.join("; ", objections) + "; anyway() starts it all the same");
        this.objections = List.copyOf(objections);
    }

    /** What speaks against it, with what would help. */
    public List<String> objections() {
        return objections;
    }
}
