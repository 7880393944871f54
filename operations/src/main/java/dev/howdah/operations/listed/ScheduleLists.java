package dev.howdah.operations.listed;

import static dev.howdah.operations.shape.FieldType.BOOLEAN;
import static dev.howdah.operations.shape.FieldType.DURATION;
import static dev.howdah.operations.shape.FieldType.ID;
import static dev.howdah.operations.shape.FieldType.INTEGER;
import static dev.howdah.operations.shape.FieldType.JSON;
import static dev.howdah.operations.shape.FieldType.TEXT;
import static dev.howdah.operations.shape.FieldType.TEXTS;
import static dev.howdah.operations.shape.FieldType.TIME;

import dev.howdah.internal.text.Sha256;
import dev.howdah.job.Schedule;
import dev.howdah.job.Schedules;
import dev.howdah.job.query.JobSummary;
import dev.howdah.operations.Parameter;
import dev.howdah.operations.list.ListCall;
import dev.howdah.operations.list.ListItem;
import dev.howdah.operations.list.ListModel;
import dev.howdah.operations.list.MissingObjectException;
import dev.howdah.operations.read.CalendarSummary;
import dev.howdah.operations.value.NameValue;
import dev.howdah.operations.value.TextValue;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Schedules of jobs, and the calendars of their holidays. */
public final class ScheduleLists {
    private static final int TIMES = 5;
    private static final int LAST_JOBS = 20;

    private static final Parameter<String> NAME = Parameter.of("name", NameValue.USUAL, "The name of the schedule.");
    private static final Parameter<String> QUEUE = Parameter.maybe("queue", NameValue.USUAL, "Only of that queue.");

    private static final Parameter<String> TEXT_OF =
            Parameter.maybe("text", new TextValue(200), "Only with that text in name or kind, in any case of letters.");

    private static final Parameter<String> SORT = ListModel.sort(ScheduleOrder.values());

    public static final ListItem<Schedules.Entry> SCHEDULE = ListItem.<Schedules.Entry>of("Schedule")
            .of("name", TEXT, "its name", Schedules.Entry::name)
            .of("queue", TEXT, "of its jobs", Schedules.Entry::queue)
            .of("kind", TEXT, "of its jobs", Schedules.Entry::kind)
            .of("payload", JSON, "of its jobs, without secrets", Schedules.Entry::payload)
            .masked()
            .of("priority", INTEGER, "of its jobs", Schedules.Entry::priority)
            .maybe("key", TEXT, "of its jobs", Schedules.Entry::key)
            .maybe("cron", TEXT, "its times; absent: it has a period, or is invalid", set(Schedule::cronExpression))
            .maybe("period", DURATION, "between its times", set(Schedule::period))
            .maybe("zone", TEXT, "of cron", cron(Schedule::zoneName))
            .maybe(
                    "missed",
                    TEXT,
                    "of times at which no node ran: once (one job for all of them), skip or all; there may be more",
                    set(schedule -> word(schedule.missed())))
            .maybe(
                    "overlap",
                    TEXT,
                    "of a time at which its last job has not ended: allow, skip, queue_one or cancel_old; there may be more",
                    set(schedule -> word(schedule.overlap())))
            .maybe(
                    "jitter",
                    DURATION,
                    "by which a job begins later at most; absent: none",
                    set(schedule -> schedule.jitter().isZero() ? null : schedule.jitter()))
            .maybe("catch_up", DURATION, "missed times longer ago get no job; absent: any age", set(Schedule::catchUp))
            .maybe("from", TIME, "before which no job is added; with a period the first time", set(Schedule::from))
            .maybe(
                    "skipped_hour",
                    TEXT,
                    "of a time that the clocks leave out: run or skip; of cron only",
                    cron(schedule -> word(schedule.skippedHour())))
            .maybe(
                    "doubled_hour",
                    TEXT,
                    "of a time that comes twice: first or both; of cron only",
                    cron(schedule -> word(schedule.doubledHour())))
            .maybe("calendar", TEXT, "whose days are holidays; absent: none", set(Schedule::calendar))
            .maybe(
                    "on_holiday",
                    TEXT,
                    "of a time on such a day: skip or next_day",
                    set(schedule -> schedule.calendar() == null ? null : word(schedule.onHoliday())))
            .of("version", TEXT, "another one after each change of the settings", ScheduleLists::version)
            .of("paused", BOOLEAN, "whether it adds no jobs", Schedules.Entry::paused)
            .of(
                    "next",
                    TEXTS,
                    "its next five times as far as they are known; none while it is paused",
                    entry -> entry.next(TIMES))
            .maybe("last_at", TIME, "the last time for which a job was added", Schedules.Entry::lastAt)
            .maybe("last_job", ID, "the last job that was added", Schedules.Entry::lastJob)
            .of("skipped", INTEGER, "for how many times no job was added", Schedules.Entry::skipped)
            .maybe("error", TEXT, "why it is invalid", Schedules.Entry::error)
            .maybe("options", JSON, "the other options of its jobs, such as tags", Schedules.Entry::options)
            .masked()
            .wide("payload priority zone last_at last_job")
            .more(
                    "key missed overlap jitter catch_up from skipped_hour doubled_hour calendar on_holiday version skipped options");

    public static final ListModel<Schedules.Entry> SCHEDULES = ListModel.of(
                    "listSchedules", "/schedules", "Lists schedules.", SCHEDULE)
            .page("SchedulePage")
            .command("job schedule list")
            .filters(QUEUE, TEXT_OF)
            .sorted(SORT)
            .pages(ScheduleLists::schedules, (call, entry) -> order(call).after(entry));

    public static final ListModel<JobSummary> SCHEDULE_JOBS = ListModel.of(
                    "listScheduleJobs",
                    "/schedules/{name}/jobs",
                    "Lists the jobs of its last 20 times, the latest first.",
                    ListItem.<JobSummary>of("ScheduleJob")
                            .of("id", ID, "the id of the job", JobSummary::id)
                            .of("state", TEXT, "as of a job", JobSummary::state)
                            .of("run_at", TIME, "when it is due, or was for its latest attempt", JobSummary::runAt)
                            .maybe("begun", TIME, "when its latest attempt began", JobSummary::begun)
                            .maybe("ended", TIME, "when it was done, failed or was cancelled", JobSummary::ended)
                            .of("attempt", INTEGER, "the attempts that have begun", JobSummary::attempt)
                            .maybe("node", INTEGER, "the node of its latest attempt", JobSummary::node)
                            .maybe("error", TEXT, "of its latest attempt, without secrets", JobSummary::error)
                            .masked())
            .key(NAME)
            .command("job schedule jobs")
            .order("the latest first")
            .all(call -> {
                Schedules schedules = call.engine().schedules();
                String name = call.key(NAME);
                if (schedules.find(name).isEmpty())
                    throw new MissingObjectException("there is no schedule \"" + name + "\"");
                return schedules.jobs(name, LAST_JOBS);
            });

    public static final ListModel<CalendarSummary> CALENDARS = ListModel.of(
                    "listCalendars",
                    "/calendars",
                    "Lists calendars by name.",
                    ListItem.<CalendarSummary>of("Calendar")
                            .of("name", TEXT, "its name", CalendarSummary::name)
                            .of("days", INTEGER, "how many days it has", CalendarSummary::days)
                            .maybe("next", TEXT, "the next of its days, today included", CalendarSummary::next)
                            .of("last", TEXT, "the last of its days", CalendarSummary::last))
            .page("CalendarPage")
            .command("job calendar list")
            .all(call -> call.ofJobs(() -> call.engine().reads().calendars()));

    private ScheduleLists() {}

    private static Function<Schedules.Entry, @Nullable Object> set(Function<Schedule, ? extends @Nullable Object> of) {
        return entry -> {
            Schedule schedule = entry.schedule();
            return schedule == null ? null : of.apply(schedule);
        };
    }

    private static Function<Schedules.Entry, @Nullable Object> cron(Function<Schedule, ? extends @Nullable Object> of) {
        return set(schedule -> schedule.cronExpression() == null ? null : of.apply(schedule));
    }

    /** A choice as forms, the API and SQL spell it. */
    private static String word(Enum<?> choice) {
        return choice.name().toLowerCase(Locale.ROOT);
    }

    /** A text that is another one after each change of the settings. */
    public static String version(Schedules.Entry entry) {
        String settings = String.join(
                "\n",
                String.valueOf(entry.schedule()),
                entry.queue(),
                entry.kind(),
                entry.payload(),
                Integer.toString(entry.priority()),
                String.valueOf(entry.key()),
                String.valueOf(entry.options()));
        return Sha256.hex(settings, 8);
    }

    private static ScheduleOrder order(ListCall call) {
        return call.get(SORT, ScheduleOrder.class);
    }

    private static List<Schedules.Entry> schedules(ListCall call) {
        ScheduleOrder order = order(call);
        Comparator<Schedules.Entry> comparator = order.comparator();
        String queue = call.find(QUEUE);
        String text = call.find(TEXT_OF);
        // Before the tables are looked for: a place that cannot be is one in any database.
        var beyond = order.beyond(call.place().start(), call.isBackwards());
        return call.ofJobs(() -> call.engine().schedules().all().stream()
                .filter(each -> queue == null || each.queue().equals(queue))
                .filter(each -> text == null || has(each.name(), text) || has(each.kind(), text))
                .filter(beyond)
                .sorted(call.isBackwards() ? comparator.reversed() : comparator)
                .limit(call.asked())
                .toList());
    }

    private static boolean has(String name, String part) {
        return name.toLowerCase(Locale.ROOT).contains(part.toLowerCase(Locale.ROOT));
    }
}
