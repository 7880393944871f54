package dev.howdah.job.internal.schedule;

import dev.howdah.job.NewJob;
import dev.howdah.job.Schedule;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The decision about times whose job would overlap the last one. Immutable.
 *
 * @param times for which a job is added
 * @param skipped for how many times none is added
 * @param cancelsLast whether the last job is to be cancelled
 */
record ScheduleOverlap(List<Instant> times, long skipped, boolean cancelsLast) {
    private static final String ORDER = "schedule ";
    /** As long as an order key may be. */
    private static final int LONGEST = 200;

    /** The state of the last job of a schedule. */
    enum LastJob {
        WAITS,
        RUNS,
        ENDED;

        /** As {@code schedule_due} says it. */
        static LastJob of(@Nullable String word) {
            return word == null ? ENDED : word.equals("runs") ? RUNS : WAITS;
        }
    }

    /**
     * Decides for all times that are over. Other than with {@link Schedule.Overlap#ALLOW} one of them gets a job at most: those after it
     * would find it waiting.
     */
    static ScheduleOverlap of(Schedule.Overlap overlap, List<Instant> times, LastJob last) {
        if (times.isEmpty()) return new ScheduleOverlap(times, 0, false);
        int more = times.size() - 1;
        return switch (overlap) {
            case ALLOW -> new ScheduleOverlap(times, 0, false);
            case SKIP -> first(times, last == LastJob.ENDED);
            case QUEUE_ONE -> first(times, last != LastJob.WAITS);
            case CANCEL_OLD -> new ScheduleOverlap(times.subList(more, more + 1), more, last != LastJob.ENDED);
        };
    }

    private static ScheduleOverlap first(List<Instant> times, boolean added) {
        int jobs = added ? 1 : 0;
        return new ScheduleOverlap(times.subList(0, jobs), times.size() - jobs, false);
    }

    /** The job with all that its policy needs: what waits for the running one waits by an order key. */
    static NewJob<?> job(ScheduleRow row) {
        if (row.overlap() != Schedule.Overlap.QUEUE_ONE) return row.job();
        String key = ORDER + row.name();
        return row.job()
                .orderKey(
                        key.codePointCount(0, key.length()) <= LONGEST
                                ? key
                                : ORDER + UUID.nameUUIDFromBytes(row.name().getBytes(StandardCharsets.UTF_8)));
    }
}
