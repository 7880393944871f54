package dev.howdah.job.internal.claim;

import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.lane.Lane;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How many jobs a claim takes from a lane with a limit. A claim gets a width, and more jobs than run at a time if jobs of the lane
 * were short lately: as many as make {@value #WORK_MILLIS} ms of work. So a limited lane pays a claim for many jobs, and jobs that
 * take long are claimed one for each place, so that none of them waits at a node for a place while another node could run it.
 * Safe for use by many threads.
 */
final class ClaimAhead {
    /** So many milliseconds of work are claimed for each place. */
    static final int WORK_MILLIS = 100;
    /** A lane in which one job took longer is claimed from one job for each place. */
    static final int LONG_MILLIS = 50;
    /** A claim takes at most so many times the jobs for each place that the one before took. */
    static final int GROWTH = 4;

    static final int MOST = 500;
    /** From so many jobs for each place on they are short. */
    static final int MANY = 16;

    /** The jobs of a run take so long at most, with the writing between them. */
    private static final long RUN_NANOS = 50_000_000;

    private static final int LONGEST_RUN = 32;
    /** The runs of one batch have so many jobs at most. */
    private static final int MOST_IN_RUNS = 4_000;

    private final Map<Integer, Integer> perPlace = new ConcurrentHashMap<>();
    private final Map<Integer, Integer> inRun = new ConcurrentHashMap<>();

    /**
     * What one claim takes.
     *
     * @param width how many of the jobs run at the same time at most; not more than {@code jobs}
     */
    record Size(int jobs, int width) {}

    /**
     * The size of the next claim from a lane.
     *
     * @param room how many more jobs may run, 1 or more
     * @param share how many of them one claim may hold, so that a second claim is worked while the first one is written; 1 or more
     * @param most how many jobs the node wants, 1 or more
     * @param oldestNanos how long ago the oldest batch of the lane was claimed in which jobs wait for a place; 0: there is none
     */
    Size next(Lane lane, long room, int share, int most, long oldestNanos) {
        int each = oldestNanos > 2 * WORK_MILLIS * 1_000_000L ? fallBack(lane) : perPlace.getOrDefault(lane.id(), 1);
        if (each <= 1) {
            int jobs = (int) Math.min(room, most);
            return new Size(jobs, jobs);
        }
        int width = (int) Math.min(Math.min(room, share), most);
        return new Size((int) Math.min(Math.min((long) width * each, MOST), most), width);
    }

    /** Whether jobs of that lane were so short lately that one may wait until some others have ended. */
    boolean areShort(Lane lane) {
        return perPlace.getOrDefault(lane.id(), 1) >= MANY;
    }

    /** How many jobs of one order key are taken together. */
    int run(Lane lane, int keys) {
        return Math.max(1, Math.min(inRun.getOrDefault(lane.id(), 1), MOST_IN_RUNS / Math.max(keys, 1)));
    }

    /** Learns from a batch whose jobs have ended. */
    void ended(ClaimedBatch batch) {
        if (!batch.isWorkedOff()) inRun.remove(batch.lane().id());
        else {
            long turns = batch.longestRun();
            long aim = Math.min(LONGEST_RUN, RUN_NANOS * turns / Math.max(batch.ageNanos(), 1));
            inRun.merge(batch.lane().id(), 1, (known, first) -> (int) Math.max(1, Math.min(known * 2L, aim)));
        }
        ended(batch.lane(), batch.isWorkedOff(), batch.meanNanos(), batch.longestNanos());
    }

    /**
     * Learns from jobs that have ended.
     *
     * @param whole whether all jobs of the batch have run here
     * @param mean how long they ran
     * @param longest how long the longest of them ran
     */
    void ended(Lane lane, boolean whole, long mean, long longest) {
        if (!whole || longest > LONG_MILLIS * 1_000_000L) {
            fallBack(lane);
            return;
        }
        int aim = (int) Math.max(1, Math.min(MOST, WORK_MILLIS * 1_000_000L / Math.max(mean, 1)));
        perPlace.merge(lane.id(), Math.min(GROWTH, aim), (known, first) -> Math.min(known * GROWTH, aim));
    }

    private int fallBack(Lane lane) {
        perPlace.put(lane.id(), 1);
        return 1;
    }
}
