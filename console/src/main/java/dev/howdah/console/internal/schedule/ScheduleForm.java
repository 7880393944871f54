package dev.howdah.console.internal.schedule;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.Schedule;
import dev.howdah.job.Schedules;
import java.time.DateTimeException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
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
    static final String CRON = "cron";
    static final String EVERY = "every";
    static final String ZONE = "zone";
    static final String QUEUE = "queue";
    static final String KIND = "kind";
    static final String PAYLOAD = "payload";
    static final String PRIORITY = "priority";
    static final String KEY = "key";
    static final String MISSED = "missed";
    static final String OVERLAP = "overlap";

    private static final ObjectMapper JSON = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

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
        values.put(ZONE, "UTC");
        values.put(PAYLOAD, "{}");
        values.put(PRIORITY, "0");
        return new ScheduleForm(values, Map.of(), null, null);
    }

    /** The form with what is stored. */
    static ScheduleForm of(Schedules.Entry entry) {
        Map<String, String> values = new LinkedHashMap<>();
        values.put(NAME, entry.name());
        Schedule schedule = entry.schedule();
        if (schedule != null) {
            values.put(CRON, Objects.requireNonNullElse(schedule.cronExpression(), ""));
            values.put(EVERY, schedule.period() == null ? "" : schedule.period().toString());
            values.put(ZONE, schedule.zoneName());
            values.put(MISSED, schedule.missed().name().toLowerCase(Locale.ROOT));
            values.put(OVERLAP, schedule.overlap().name().toLowerCase(Locale.ROOT));
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
     * @param stored the schedule that is edited, whose other settings are kept; null: it is a new one
     */
    static ScheduleForm read(Function<String, @Nullable String> typed, Schedules.@Nullable Entry stored) {
        Map<String, String> values = new LinkedHashMap<>();
        for (String each : new String[] {NAME, CRON, EVERY, ZONE, QUEUE, KIND, PAYLOAD, PRIORITY, KEY, MISSED, OVERLAP})
            values.put(each, Objects.requireNonNullElse(typed.apply(each), ""));
        if (stored != null) values.put(NAME, stored.name());
        Map<String, String> errors = new LinkedHashMap<>();
        Schedule schedule = schedule(values, stored, errors);
        NewJob<String> job = job(values, stored, errors);
        return errors.isEmpty()
                ? new ScheduleForm(values, errors, schedule, job)
                : new ScheduleForm(values, errors, null, null);
    }

    private static @Nullable Schedule schedule(
            Map<String, String> values, Schedules.@Nullable Entry stored, Map<String, String> errors) {
        String typed = given(values, NAME, "the schedule needs a name", errors);
        String name = typed == null ? "without a name" : typed;
        String cron = values.getOrDefault(CRON, "").strip();
        String every = values.getOrDefault(EVERY, "").strip();
        if (cron.isEmpty() == every.isEmpty()) {
            errors.put(CRON, "either a cron expression or a period is needed" + (cron.isEmpty() ? "" : ", not both"));
            return null;
        }
        Schedule plain;
        try {
            plain = cron.isEmpty() ? Schedule.every(name, Periods.parse(every)) : Schedule.cron(name, cron);
        } catch (IllegalArgumentException e) {
            String said = said(e, name);
            errors.put(said.startsWith("the name") ? NAME : cron.isEmpty() ? EVERY : CRON, said);
            return null;
        }
        Schedule known = stored == null ? null : stored.schedule();
        Schedule[] whole = {plain};
        String typedZone = values.getOrDefault(ZONE, "");
        String zone = typedZone.isBlank() ? "UTC" : typedZone;
        attempt(ZONE, errors, name, () -> whole[0] = whole[0].zone(zone));
        choose(MISSED, values, Schedule.Missed.class, errors, each -> whole[0] = whole[0].missed(each));
        choose(OVERLAP, values, Schedule.Overlap.class, errors, each -> whole[0] = whole[0].overlap(each));
        if (known != null) attempt(EVERY, errors, name, () -> whole[0] = kept(whole[0], known));
        return whole[0];
    }

    /** With the settings that the form does not have. */
    private static Schedule kept(Schedule schedule, Schedule stored) {
        Schedule kept = schedule.jitter(stored.jitter())
                .skippedHour(stored.skippedHour())
                .doubledHour(stored.doubledHour())
                .onHoliday(stored.onHoliday());
        if (stored.from() != null) kept = kept.from(stored.from());
        if (stored.catchUp() != null) kept = kept.catchUp(stored.catchUp());
        if (stored.calendar() != null) kept = kept.calendar(stored.calendar());
        return kept;
    }

    private static @Nullable NewJob<String> job(
            Map<String, String> values, Schedules.@Nullable Entry stored, Map<String, String> errors) {
        String kind = given(values, KIND, "its jobs need a kind", errors);
        String typedPayload = values.getOrDefault(PAYLOAD, "");
        String payload = typedPayload.isBlank() ? "null" : typedPayload;
        checkJson(payload, errors);
        if (kind == null) return null;
        NewJob<String>[] job = newJob(kind, payload, errors);
        if (job[0] == null) return null;
        String queue = values.getOrDefault(QUEUE, "").strip();
        if (!queue.isEmpty()) attempt(QUEUE, errors, "", () -> job[0] = job[0].queue(queue));
        String priority = values.getOrDefault(PRIORITY, "").strip();
        if (!priority.isEmpty()) {
            if (priority.matches("-?\\d{1,4}"))
                attempt(PRIORITY, errors, "", () -> job[0] = job[0].priority(Integer.parseInt(priority)));
            else errors.put(PRIORITY, "a priority is a number from -100 to 100, not \"" + priority + "\"");
        }
        if (stored != null && stored.options() != null)
            attempt(KIND, errors, "", () -> job[0] = job[0].options(stored.options()));
        String key = values.getOrDefault(KEY, "").strip();
        if (!key.isEmpty()) attempt(KEY, errors, "", () -> job[0] = job[0].key(key));
        return job[0];
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type has no other way
    private static NewJob<String>[] newJob(String kind, String payload, Map<String, String> errors) {
        NewJob[] job = new NewJob[1];
        attempt(KIND, errors, "", () -> job[0] = NewJob.of(Kind.of(kind, String.class), payload));
        return job;
    }

    private static void checkJson(String payload, Map<String, String> errors) {
        try {
            JSON.readTree(payload);
        } catch (JsonProcessingException e) {
            String at = e.getLocation() == null
                    ? ""
                    : " (line " + e.getLocation().getLineNr() + ", column "
                            + e.getLocation().getColumnNr() + ")";
            errors.put(PAYLOAD, "this is no JSON" + at + ": " + e.getOriginalMessage());
        }
    }

    private static @Nullable String given(
            Map<String, String> values, String field, String missing, Map<String, String> errors) {
        String value = values.getOrDefault(field, "").strip();
        if (!value.isEmpty()) return value;
        errors.put(field, missing);
        return null;
    }

    private static <E extends Enum<E>> void choose(
            String field, Map<String, String> values, Class<E> type, Map<String, String> errors, Consumer<E> use) {
        String text = values.getOrDefault(field, "");
        if (text.isBlank()) return;
        for (E each : type.getEnumConstants())
            if (each.name().equalsIgnoreCase(text)) {
                use.accept(each);
                return;
            }
        errors.put(field, field + " cannot be \"" + text + "\"");
    }

    private static void attempt(String field, Map<String, String> errors, String name, Runnable change) {
        try {
            change.run();
        } catch (IllegalArgumentException | DateTimeException e) {
            errors.putIfAbsent(field, said(e, name));
        }
    }

    /** The message without the name of the schedule, which stands above the form. */
    private static String said(RuntimeException e, String name) {
        String message = String.valueOf(e.getMessage());
        String before = "schedule " + name + ": ";
        return message.startsWith(before) ? message.substring(before.length()) : message;
    }
}
