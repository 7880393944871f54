package dev.howdah.job.internal.wait;

import dev.howdah.job.wait.JobSuspended;
import java.util.ArrayList;
import java.util.List;

/**
 * A run of a handler that only reads what earlier runs have recorded, and ends where it would do something new: two of them have to ask for the same.
 * Safe for use by many threads.
 */
public final class Rehearsal {
    private final List<String> asked = new ArrayList<>();
    private boolean over;

    /** The handler asks for something, in its own thread. */
    public synchronized void ask(String type, String name) {
        asked.add(type + " \"" + name + '"');
    }

    /** The handler would do something new. */
    public synchronized JobSuspended end() {
        over = true;
        return new JobSuspended("the end of a rehearsal");
    }

    /** Whether it has come to its end. */
    public synchronized boolean isOver() {
        return over;
    }

    /** What the handler has asked for, in its order. */
    public synchronized List<String> asked() {
        return List.copyOf(asked);
    }
}
