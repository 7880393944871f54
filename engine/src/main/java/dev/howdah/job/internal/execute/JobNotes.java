package dev.howdah.job.internal.execute;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Progress and log lines of handlers, until they are written to the database. Safe for use by many threads. */
public final class JobNotes {
    /** More lines than this do not wait to be written. */
    private static final int MOST_LINES = 10_000;

    /** The progress of a job; {@code nanos} is the time of that, by {@link System#nanoTime}. */
    public record Progress(
            long job, long token, double done, @Nullable String message, long nanos) {}

    /** A line of the log of a job. */
    public record Line(long job, int attempt, String text, long nanos) {}

    /** The notes to write: of each job only its latest progress, and the lines. */
    public record Notes(List<Progress> progress, List<Line> lines) {
        public boolean isEmpty() {
            return progress.isEmpty() && lines.isEmpty();
        }
    }

    private Map<Long, Progress> progress = new HashMap<>();
    private List<Line> lines = new ArrayList<>();
    private boolean told;
    private volatile @Nullable Runnable wake;

    /** @param first called, in the thread of a handler, with the first note after each {@link #drain} */
    public void wakeBy(Runnable first) {
        wake = first;
    }

    void add(Progress note) {
        synchronized (this) {
            progress.put(note.job(), note);
            if (told) return;
            told = true;
        }
        wake();
    }

    /** False: too many lines wait, and this one is left out. */
    boolean add(Line line) {
        synchronized (this) {
            if (lines.size() >= MOST_LINES) return false;
            lines.add(line);
            if (told) return true;
            told = true;
        }
        wake();
        return true;
    }

    private void wake() {
        Runnable called = wake;
        if (called != null) called.run();
    }

    /** Whether nothing was said since the last {@link #drain}. */
    public synchronized boolean isEmpty() {
        return progress.isEmpty() && lines.isEmpty();
    }

    /** All that was said since the last call. */
    public synchronized Notes drain() {
        Notes notes = new Notes(List.copyOf(progress.values()), List.copyOf(lines));
        progress = new HashMap<>();
        lines = new ArrayList<>();
        told = false;
        return notes;
    }
}
