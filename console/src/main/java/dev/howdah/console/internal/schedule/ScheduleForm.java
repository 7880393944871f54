package dev.howdah.console.internal.schedule;

import dev.howdah.console.internal.form.FormFields;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.Schedule;
import dev.howdah.job.Schedules;
import dev.howdah.operations.value.Periods;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The fields of the form of a schedule, what is wrong with them, and what they mean.
 *
 * @param values by field, as they were typed
 * @param errors by field; empty: it can be saved
 * @param schedule what they mean; null: something is wrong
 * @param job the jobs of the schedule; null: something is wrong
 */
public record ScheduleForm(
        Map<String, String> values,
        Map<String, String> errors,
        @Nullable Schedule schedule,
        @Nullable NewJob<String> job) {
    static final String NAME = "name";
    public static final String CRON = "cron";
    public static final String EVERY = "every";
    static final String QUEUE = "queue";
    static final String KIND = "kind";
    public static final String PAYLOAD = "payload";
    static final String PRIORITY = "priority";
    static final String KEY = "key";
    private static final List<String> FIELDS = Stream.concat(
                    Stream.of(NAME, CRON, EVERY, QUEUE, KIND, PAYLOAD, PRIORITY, KEY), ScheduleOptions.FIELDS.stream())
            .toList();

    /** What was typed into a field; empty: nothing. */
    public String value(String field) {
        return values.getOrDefault(field, "");
    }

    /** What is wrong with a field; null: nothing. */
    public @Nullable String error(String field) {
        return errors.get(field);
    }

    /** The form as it is first shown. */
    static ScheduleForm empty() {
        Map<String, String> values = new LinkedHashMap<>();
        values.put(ScheduleOptions.ZONE, "UTC");
        values.put(PAYLOAD, "{}");
        values.put(PRIORITY, "0");
        return new ScheduleForm(values, Map.of(), null, null);
    }

    /** The form with what is stored. */
    public static ScheduleForm of(Schedules.Entry entry) {
        Map<String, String> values = new LinkedHashMap<>();
        values.put(NAME, entry.name());
        Schedule schedule = entry.schedule();
        if (schedule != null) {
            values.put(CRON, Objects.requireNonNullElse(schedule.cronExpression(), ""));
            values.put(EVERY, schedule.period() == null ? "" : schedule.period().toString());
            ScheduleOptions.put(schedule, values);
        }
        values.put(QUEUE, entry.queue());
        values.put(KIND, entry.kind());
        values.put(PAYLOAD, entry.payload());
        values.put(PRIORITY, Integer.toString(entry.priority()));
        values.put(KEY, Objects.requireNonNullElse(entry.key(), ""));
        return new ScheduleForm(values, Map.of(), null, null);
    }

    /**
     * Reads what was typed.
     *
     * @param typed by field
     * @param stored the schedule that is edited, the options of whose jobs are kept; null: it is a new one
     */
    public static ScheduleForm read(Function<String, @Nullable String> typed, Schedules.@Nullable Entry stored) {
        FormFields fields = new FormFields(FIELDS, typed);
        if (stored != null) fields.set(NAME, stored.name());
        Schedule schedule = schedule(fields);
        NewJob<String> job = job(fields, stored);
        return fields.errors().isEmpty()
                ? new ScheduleForm(fields.values(), Map.of(), schedule, job)
                : new ScheduleForm(fields.values(), fields.errors(), null, null);
    }

    private static @Nullable Schedule schedule(FormFields fields) {
        String typed = fields.given(NAME, "the schedule needs a name");
        String name = typed == null ? "without a name" : typed;
        String cron = fields.text(CRON);
        String every = fields.text(EVERY);
        if (cron.isEmpty() == every.isEmpty()) {
            fields.wrong(CRON, "either a cron expression or a period is needed" + (cron.isEmpty() ? "" : ", not both"));
            return null;
        }
        Schedule plain;
        try {
            plain = cron.isEmpty() ? Schedule.every(name, Periods.parse(every)) : Schedule.cron(name, cron);
        } catch (IllegalArgumentException e) {
            String said = said(e, name);
            fields.wrong(said.startsWith("the name") ? NAME : cron.isEmpty() ? EVERY : CRON, said);
            return null;
        }
        return ScheduleOptions.read(fields, plain);
    }

    private static @Nullable NewJob<String> job(FormFields fields, Schedules.@Nullable Entry stored) {
        String kind = fields.given(KIND, "its jobs need a kind");
        String payload = fields.text(PAYLOAD).isEmpty() ? "null" : fields.text(PAYLOAD);
        fields.json(PAYLOAD, payload);
        if (kind == null) return null;
        List<NewJob<String>> job = new ArrayList<>();
        fields.attempt(KIND, () -> job.add(NewJob.of(Kind.of(kind, String.class), payload)));
        if (job.isEmpty()) return null;
        fields.use(QUEUE, queue -> job.replaceAll(each -> each.queue(queue)));
        fields.useNumber(PRIORITY, "a priority", -100, 100, level -> job.replaceAll(each -> each.priority(level)));
        String options = stored == null ? null : stored.options();
        if (options != null) fields.attempt(KIND, () -> job.replaceAll(each -> each.options(options)));
        fields.use(KEY, key -> job.replaceAll(each -> each.key(key)));
        return job.get(0);
    }

    /** The message without the name of the schedule, which stands above the form. */
    static String said(RuntimeException e, String name) {
        String message = String.valueOf(e.getMessage());
        String before = "schedule " + name + ": ";
        return message.startsWith(before) ? message.substring(before.length()) : message;
    }
}
