package dev.howdah.testkit;

import dev.howdah.job.query.JobState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What came of a job for each point at which its program crashed. Each check throws an {@link AssertionError} with the points that it does not
 * hold for, and returns this report. Immutable.
 */
public final class CrashReport {
    private final Map<String, Long> undisturbed;
    private final List<CrashPoint> points;

    CrashReport(Map<String, Long> undisturbed, List<CrashPoint> points) {
        this.undisturbed = new TreeMap<>(undisturbed);
        this.points = List.copyOf(points);
    }

    /** Returns all crashes: two for each statement, before and after it was executed. */
    public List<CrashPoint> points() {
        return points;
    }

    /** Returns how often an effect happens without a crash. */
    public long expected(String effect) {
        Long times = undisturbed.get(effect);
        if (times == null)
            throw new IllegalArgumentException("there is no effect \"" + effect + "\", only " + undisturbed.keySet()
                    + " happened without a crash");
        return times;
    }

    /** Returns the crashes after which an effect had happened more often than without one. */
    public List<CrashPoint> repeated(String effect) {
        long expected = expected(effect);
        return points.stream().filter(each -> each.times(effect) > expected).toList();
    }

    /** Returns the crashes after which an effect had happened less often than without one. */
    public List<CrashPoint> missing(String effect) {
        long expected = expected(effect);
        return points.stream().filter(each -> each.times(effect) < expected).toList();
    }

    /**
     * Fails unless each of these effects happened exactly as often as without a crash, whatever the crash.
     *
     * @param effects none: all
     */
    public CrashReport assertExactlyOnce(String... effects) {
        List<String> wrong = new ArrayList<>();
        for (String each : named(effects)) {
            describe(each, repeated(each), wrong);
            describe(each, missing(each), wrong);
        }
        return check(wrong);
    }

    /**
     * Fails unless each of these effects happened at least as often as without a crash, whatever the crash.
     *
     * @param effects none: all
     */
    public CrashReport assertAtLeastOnce(String... effects) {
        List<String> wrong = new ArrayList<>();
        for (String each : named(effects)) describe(each, missing(each), wrong);
        return check(wrong);
    }

    /** Fails unless the job was done in the end, whatever the crash. */
    public CrashReport assertDone() {
        List<String> wrong = new ArrayList<>();
        for (CrashPoint each : points)
            if (each.state() != JobState.DONE)
                wrong.add("the job is " + each.state().name().toLowerCase(Locale.ROOT) + ": crash " + each);
        return check(wrong);
    }

    private Set<String> named(String... effects) {
        return effects.length == 0 ? undisturbed.keySet() : new TreeSet<>(Arrays.asList(effects));
    }

    private void describe(String effect, List<CrashPoint> where, List<String> wrong) {
        for (CrashPoint each : where)
            wrong.add(effect + " happened " + times(each.times(effect)) + " instead of " + times(expected(effect))
                    + ": crash " + each);
    }

    private static String times(long count) {
        return count == 0 ? "never" : count == 1 ? "once" : count == 2 ? "twice" : count + " times";
    }

    private CrashReport check(List<String> wrong) {
        if (!wrong.isEmpty()) throw new AssertionError(String.join("\n", wrong));
        return this;
    }

    /** Returns a line for each crash: the statement, how the job ended, and all that happened not as often as without a crash. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (CrashPoint each : points) {
            text.append("crash ").append(each).append(": ").append(each.state()).append(", ");
            text.append(each.attempts()).append(each.attempts() == 1 ? " attempt" : " attempts");
            undisturbed.forEach((effect, expected) -> {
                if (each.times(effect) != expected)
                    text.append(", ").append(effect).append(' ').append(times(each.times(effect)));
            });
            text.append('\n');
        }
        return text.toString();
    }
}
