package dev.howdah.job.internal.attempt;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The runs of a batch: jobs of one order key that follow each other. A job begins when the database knows that the one before it in its run
 * is done. One that ends in another way cuts its run: what comes after it does not begin in this batch. Jobs are named by their places.
 * Safe for use by many threads.
 */
public final class OrderRuns {
    private static final int NONE = -1;

    /** For each job the next one of its run. */
    private final int[] next;

    private final int longest;
    private final int keys;

    private final Queue<Integer> ready = new ArrayDeque<>();
    private final BitSet begun = new BitSet();
    private final BitSet done = new BitSet();
    /** Jobs that are done, and the next of which waits until that is written. */
    private final BitSet passing = new BitSet();

    private boolean told;
    private boolean writing;
    private boolean over;

    private OrderRuns(int[] next, List<List<Integer>> runs) {
        this.next = next;
        this.longest = runs.stream().mapToInt(List::size).max().orElse(1);
        this.keys = runs.size();
        for (List<Integer> run : runs) ready.add(run.get(0));
    }

    /** The runs of these jobs; null: each is the only one of its key. */
    public static @Nullable OrderRuns of(List<ClaimedJob> jobs) {
        if (jobs.stream().allMatch(job -> job.head() == job.id())) return null;
        int[] next = new int[jobs.size()];
        Arrays.fill(next, NONE);
        List<List<Integer>> runs = byHead(jobs);
        for (List<Integer> run : runs) for (int n = 1; n < run.size(); n++) next[run.get(n - 1)] = run.get(n);
        return new OrderRuns(next, runs);
    }

    /** The places of the jobs of each run, in its order. */
    private static List<List<Integer>> byHead(List<ClaimedJob> jobs) {
        Integer[] places = new Integer[jobs.size()];
        Arrays.setAll(places, place -> place);
        Arrays.sort(places, (a, b) -> {
            int order = Integer.compare(jobs.get(a).priority(), jobs.get(b).priority());
            return order != 0
                    ? order
                    : Long.compare(jobs.get(a).id(), jobs.get(b).id());
        });
        Map<Long, List<Integer>> runs = new HashMap<>();
        List<List<Integer>> all = new ArrayList<>();
        for (int place : places)
            runs.computeIfAbsent(jobs.get(place).head(), head -> {
                        List<Integer> run = new ArrayList<>();
                        all.add(run);
                        return run;
                    })
                    .add(place);
        return all;
    }

    /** Of how many keys the jobs are. */
    public int keys() {
        return keys;
    }

    /** How many jobs the longest run had when it was taken. */
    public int longest() {
        return longest;
    }

    /** The next job to begin, or -1: none may begin now. */
    public synchronized int begin() {
        Integer place = ready.poll();
        if (place == null) return NONE;
        begun.set(place);
        return place;
    }

    /** How many jobs may begin now. */
    public synchronized int ready() {
        return ready.size();
    }

    /** How many jobs have not begun, whether they may or not. */
    public synchronized int waiting() {
        return next.length - begun.cardinality();
    }

    /** That job is done, and nothing else is to be said of it. Returns whether this has to be written, and no call before this one has said so. */
    public synchronized boolean done(int place) {
        done.set(place);
        if (over || next[place] == NONE) return false;
        passing.set(place);
        boolean first = !told && !writing;
        told = true;
        return first;
    }

    /**
     * That job has ended in another way.
     *
     * @param behind called for each job behind it, which does not begin here, before another thread learns that
     */
    public synchronized void cut(int place, IntConsumer behind) {
        int first = next[place];
        next[place] = NONE;
        for (int each = first; each != NONE; each = next[each]) {
            ready.remove(Integer.valueOf(each));
            begun.set(each);
            behind.accept(each);
        }
    }

    /**
     * No further job begins here.
     *
     * @param waiting called for each that has not, before another thread learns that
     */
    public synchronized void close(IntConsumer waiting) {
        over = true;
        ready.clear();
        passing.clear();
        for (int place = 0; place < next.length; place++) {
            if (begun.get(place)) continue;
            begun.set(place);
            waiting.accept(place);
        }
    }

    /**
     * What is to be written.
     *
     * @param done the jobs that are done, as a literal of {@code bytea} with a bit for each
     * @param passing those of them of which the next ones wait for that
     */
    public record Turns(String done, List<Integer> passing) {}

    /**
     * What is to be written now; null: nothing, or another thread writes what was to be written before, which this would overtake. Each that is not null
     * needs an {@link #endWriting}.
     */
    public synchronized @Nullable Turns turns() {
        if (writing || passing.isEmpty()) return null;
        told = false;
        writing = true;
        return new Turns(
                "\\x" + HexFormat.of().formatHex(done.toByteArray()),
                passing.stream().boxed().toList());
    }

    /** Nothing is being written any more. Returns whether there is something to write again. */
    public synchronized boolean endWriting() {
        writing = false;
        told = !passing.isEmpty();
        return told;
    }

    /** That is written: the next ones may begin. Returns whether there are some. */
    public synchronized boolean pass(Turns written) {
        boolean some = false;
        for (int place : written.passing()) {
            if (!passing.get(place)) continue;
            passing.clear(place);
            ready.add(next[place]);
            some = true;
        }
        return some;
    }
}
