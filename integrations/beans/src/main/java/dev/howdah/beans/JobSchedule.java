package dev.howdah.beans;

import dev.howdah.job.Schedule;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A schedule of a {@link JobHandler} without a payload: a job is added at each of its times, once for all nodes.
 *
 * <pre>{@code
 * @JobHandler("report")
 * @JobSchedule(cron = "0 6 * * MON-FRI", zone = "Europe/Berlin")
 * void report() { ... }
 * }</pre>
 *
 * <p>It is written to the database when the application starts, and stays there when it is removed from the code: {@code Jobs.schedules().remove(name)}
 * removes it, or {@code cron = "-"}. Texts may have placeholders such as <code>${report.cron}</code>.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Repeatable(JobSchedule.All.class)
public @interface JobSchedule {
    /** Five fields, six with seconds in front, or a name such as {@code @daily}; {@code -} removes the schedule. This or {@link #every}. */
    String cron() default "";

    /** The time zone of {@link #cron}, such as {@code Europe/Berlin}. Defaults to UTC. */
    String zone() default "UTC";

    /** The period, such as {@code 10s} or {@code 1h}, a second or more. This or {@link #cron}. */
    String every() default "";

    /** The name, unique in the database. Defaults to the kind; a handler with several schedules names each. */
    String name() default "";

    /** What happens at a time at which the last job of the schedule has not ended. */
    Schedule.Overlap overlap() default Schedule.Overlap.ALLOW;

    /** What happens to times at which no node ran. */
    Schedule.Missed missed() default Schedule.Missed.ONCE;

    /** By how much each job is late at most, at random, such as {@code 30s}: jobs of many schedules do not begin at once. Defaults to nothing. */
    String jitter() default "";

    /** How long ago a missed time may be, such as {@code 1d}. Defaults to any time. */
    String catchUp() default "";

    /** The calendar with the days on which no job is added, see {@code Schedules.addHolidays}. Defaults to none. */
    String calendar() default "";

    /** Several schedules of one handler. */
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @Documented
    @interface All {
        /** The schedules. */
        JobSchedule[] value();
    }
}
