package dev.howdah.console.internal.schedule;

import dev.howdah.console.internal.view.TimeText;
import dev.howdah.job.Schedule;
import dev.howdah.job.Schedules;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a schedule does, for people. */
public final class ScheduleWords {
    private ScheduleWords() {}

    /** Its times, such as {@code at 03:00 from Monday to Friday, Europe/Berlin}. */
    public static String times(@Nullable Schedule schedule) {
        if (schedule == null) return "at no time: it is invalid";
        Duration period = schedule.period();
        if (period != null) return "every " + TimeText.duration(period);
        String cron = Objects.requireNonNullElse(schedule.cronExpression(), "");
        return cron(cron, schedule.zoneName());
    }

    /**
     * The times of a cron expression.
     *
     * @param zone null: that of the sessions of its owner
     */
    public static String cron(String cron, @Nullable String zone) {
        return Objects.requireNonNullElse(CronWords.of(cron), "by cron " + cron) + (zone == null ? "" : ", " + zone);
    }

    /** The cron expression or the period, as it was set. */
    public static String own(Schedules.Entry entry) {
        Schedule schedule = entry.schedule();
        if (schedule == null) return "invalid";
        return schedule.period() != null
                ? String.valueOf(schedule.period())
                : schedule.cronExpression() + " " + schedule.zoneName();
    }

    /** Its policies, those that matter for it. */
    static Map<String, String> policies(Schedule schedule) {
        Map<String, String> policies = new LinkedHashMap<>();
        policies.put(
                "no node ran",
                switch (schedule.missed()) {
                    case SKIP -> "times that are more than a minute past are dropped";
                    case ONCE -> "one job for all missed times";
                    case ALL -> "a job for each missed time";
                });
        Duration catchUp = schedule.catchUp();
        if (catchUp != null) policies.put("catch-up", "none for times longer ago than " + TimeText.duration(catchUp));
        policies.put(
                "last job has not ended",
                switch (schedule.overlap()) {
                    case ALLOW -> "another job is added";
                    case SKIP -> "no job is added";
                    case QUEUE_ONE -> "one job waits until it has ended";
                    case CANCEL_OLD -> "it is cancelled, and another job is added";
                });
        if (!schedule.jitter().isZero())
            policies.put("jitter", "up to " + TimeText.duration(schedule.jitter()) + " later");
        if (schedule.period() == null) clocks(schedule, policies);
        String calendar = schedule.calendar();
        if (calendar != null)
            policies.put(
                    "on days of calendar " + calendar,
                    schedule.onHoliday() == Schedule.OnHoliday.SKIP ? "no job" : "the next day that is not in it");
        if (schedule.from() != null) policies.put("not before", TimeText.text(schedule.from()));
        return policies;
    }

    private static void clocks(Schedule schedule, Map<String, String> policies) {
        if (schedule.zone().getRules().isFixedOffset()) return;
        policies.put(
                "hour that the clocks leave out",
                schedule.skippedHour() == Schedule.SkippedHour.RUN ? "runs at the change" : "left out");
        policies.put(
                "hour that comes twice", schedule.doubledHour() == Schedule.DoubledHour.FIRST ? "the first" : "both");
    }
}
