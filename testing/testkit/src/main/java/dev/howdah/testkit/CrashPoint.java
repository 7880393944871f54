package dev.howdah.testkit;

import dev.howdah.job.query.JobState;
import java.util.Map;

/**
 * One crash, and what came of the job after that: it was given back and run again, to its end.
 *
 * @param number of the statement, counted from the beginning of the handler
 * @param executed whether the server ran the statement, of which the program did not learn
 * @param statement its text
 * @param state of the job at its end
 * @param attempts that were made, the one that crashed included
 * @param effects how often each has happened
 */
public record CrashPoint(
        int number, boolean executed, String statement, JobState state, int attempts, Map<String, Long> effects) {
    private static final int WIDTH = 60;

    public CrashPoint {
        effects = Map.copyOf(effects);
    }

    /** Returns how often that effect has happened. */
    public long times(String effect) {
        return effects.getOrDefault(effect, 0L);
    }

    @Override
    public String toString() {
        String line = statement.replaceAll("\\s+", " ").strip();
        return (executed ? "after " : "before ") + "statement " + number + ", "
                + (line.length() > WIDTH ? line.substring(0, WIDTH - 3) + "..." : line);
    }
}
