package dev.howdah.console.internal.schedule;

import dev.howdah.console.internal.form.FormFields;
import dev.howdah.job.Schedule;
import dev.howdah.operations.value.Moments;
import dev.howdah.operations.value.Periods;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The settings of a schedule that it can do without, as fields of a form. */
public final class ScheduleOptions {
    static final String ZONE = "zone";
    static final String MISSED = "missed";
    static final String CATCH_UP = "catch_up";
    static final String OVERLAP = "overlap";
    static final String JITTER = "jitter";
    static final String FROM = "from";
    static final String SKIPPED_HOUR = "skipped_hour";
    static final String DOUBLED_HOUR = "doubled_hour";
    static final String CALENDAR = "calendar";
    static final String ON_HOLIDAY = "on_holiday";

    static final List<String> FIELDS =
            List.of(ZONE, MISSED, CATCH_UP, OVERLAP, JITTER, FROM, SKIPPED_HOUR, DOUBLED_HOUR, CALENDAR, ON_HOLIDAY);

    private ScheduleOptions() {}

    /** Writes what a schedule has into the fields. */
    static void put(Schedule schedule, Map<String, String> values) {
        values.put(ZONE, schedule.zoneName());
        values.put(MISSED, word(schedule.missed()));
        values.put(CATCH_UP, text(schedule.catchUp()));
        values.put(OVERLAP, word(schedule.overlap()));
        values.put(JITTER, schedule.jitter().isZero() ? "" : text(schedule.jitter()));
        values.put(FROM, text(schedule.from()));
        values.put(SKIPPED_HOUR, word(schedule.skippedHour()));
        values.put(DOUBLED_HOUR, word(schedule.doubledHour()));
        values.put(CALENDAR, text(schedule.calendar()));
        values.put(ON_HOLIDAY, word(schedule.onHoliday()));
    }

    /** A choice as forms, the API and SQL spell it. */
    public static String word(Enum<?> choice) {
        return choice.name().toLowerCase(Locale.ROOT);
    }

    private static String text(@Nullable Object value) {
        return value == null ? "" : value.toString();
    }

    /** The schedule with what was typed into the fields. */
    static Schedule read(FormFields fields, Schedule schedule) {
        Reading reading = new Reading(fields, schedule);
        reading.use(ZONE, Schedule::zone);
        fields.choose(MISSED, Schedule.Missed.class, each -> reading.change(to -> to.missed(each)));
        reading.use(CATCH_UP, (to, text) -> to.catchUp(Periods.parse(text)));
        fields.choose(OVERLAP, Schedule.Overlap.class, each -> reading.change(to -> to.overlap(each)));
        reading.use(JITTER, (to, text) -> to.jitter(period(text)));
        reading.use(FROM, (to, text) -> to.from(Moments.parse(text)));
        fields.choose(SKIPPED_HOUR, Schedule.SkippedHour.class, each -> reading.change(to -> to.skippedHour(each)));
        fields.choose(DOUBLED_HOUR, Schedule.DoubledHour.class, each -> reading.change(to -> to.doubledHour(each)));
        reading.use(CALENDAR, Schedule::calendar);
        fields.choose(ON_HOLIDAY, Schedule.OnHoliday.class, each -> reading.change(to -> to.onHoliday(each)));
        return reading.schedule;
    }

    private static Duration period(String text) {
        return text.equals("0") ? Duration.ZERO : Periods.parse(text);
    }

    private interface Option {
        Schedule set(Schedule schedule, String text);
    }

    private static final class Reading {
        private final FormFields fields;
        private Schedule schedule;

        Reading(FormFields fields, Schedule schedule) {
            this.fields = fields;
            this.schedule = schedule;
        }

        void change(UnaryOperator<Schedule> change) {
            schedule = change.apply(schedule);
        }

        void use(String field, Option option) {
            fields.use(field, text -> {
                try {
                    schedule = option.set(schedule, text);
                } catch (IllegalArgumentException e) {
                    throw new IllegalArgumentException(ScheduleForm.said(e, schedule.name()), e);
                }
            });
        }
    }
}
