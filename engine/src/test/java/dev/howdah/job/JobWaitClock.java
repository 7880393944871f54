package dev.howdah.job;

import java.time.Duration;

/** Moves the times of jobs that wait, as if time had passed; a negative time is a clock that was set back. */
final class JobWaitClock {
    private JobWaitClock() {}

    static void pass(JobsDatabase database, Duration time) {
        String micros = time.toNanos() / 1000 + " * interval '1 microsecond'";
        database.execute("UPDATE howdah_internal.job SET run_at = run_at - " + micros
                + "; UPDATE howdah_internal.job_record SET until = until - " + micros);
    }
}
