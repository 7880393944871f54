package dev.howdah.benchmarks.faults;

import dev.howdah.job.Jobs;
import dev.howdah.job.JobsException;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Adds jobs that leave a row in their own transactions, for the nodes that run processes as well, until it is told that it is over.
 * Each job that was acknowledged has to take effect once, unless it has failed with three nodes.
 */
final class JobEffects implements Runnable {
    private static final int PAUSE_MILLIS = 5;

    private final TestBed bed;
    private final AtomicLong added = new AtomicLong();
    private volatile boolean over;

    JobEffects(TestBed bed) throws SQLException {
        this.bed = bed;
        bed.execute("CREATE TABLE effect (n bigint NOT NULL); CREATE TABLE asked (n bigint NOT NULL)");
    }

    @Override
    public void run() {
        try (Jobs jobs = Jobs.on(bed.source()).nodeName("producer").start()) {
            for (long n = 1; !over; n++) {
                try {
                    jobs.add(ProcessNode.EFFECT, n);
                    bed.execute("INSERT INTO asked VALUES (" + n + ")");
                    added.incrementAndGet();
                } catch (JobsException | SQLException e) {
                    // It may have been added, and counts only if it was acknowledged.
                }
                TestBed.pause(PAUSE_MILLIS);
            }
        }
    }

    /** No more are added. */
    void over() {
        over = true;
    }

    /** What is left to run. */
    static String left() {
        return "SELECT (SELECT count(*) FROM howdah_internal.job) + (SELECT count(*) FROM howdah_internal.batch WHERE ended IS NULL)";
    }

    void check(Map<String, Object> counts, List<String> complaints) throws SQLException {
        long failed = bed.number("SELECT count(*) FROM howdah_internal.failed");
        long twice = bed.number("SELECT count(*) FROM (SELECT FROM effect GROUP BY n HAVING count(*) > 1) t");
        long never = bed.number("SELECT count(*) FROM asked a WHERE NOT EXISTS (SELECT FROM effect e WHERE e.n = a.n)");
        if (twice > 0) complaints.add(twice + " jobs took effect twice");
        if (never > failed) complaints.add(never + " jobs took no effect, and " + failed + " have failed");
        if (added.get() == 0) complaints.add("no job was added");
        counts.put("jobs", added.get());
        counts.put("jobs_failed", failed);
    }
}
