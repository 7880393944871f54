package dev.howdah.console.internal.schedule;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import dev.howdah.job.Schedule;
import dev.howdah.job.Schedules;
import dev.howdah.operations.listed.ScheduleLists;
import dev.howdah.operations.read.EngineReads;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The form of a schedule: {@code /schedules/new} and {@code /schedules/{name}/edit}. What was typed stands in the address; it is
 * checked, and the next times are shown, before it can be saved.
 */
public final class ScheduleFormPage implements PageController {
    /** The settings that most schedules do without, and what they are unless they are set; the first time is when it was added. */
    private static final Map<String, String> MORE = Map.of(
            ScheduleOptions.CATCH_UP, "",
            ScheduleOptions.JITTER, "",
            ScheduleOptions.SKIPPED_HOUR, "run",
            ScheduleOptions.DOUBLED_HOUR, "first",
            ScheduleOptions.CALENDAR, "",
            ScheduleOptions.ON_HOLIDAY, "skip");

    private final ConsoleData data;
    private final EngineReads queries;

    ScheduleFormPage(ConsoleData data, EngineReads queries) {
        this.data = data;
        this.queries = queries;
    }

    /**
     * What the template shows.
     *
     * @param path of the form
     * @param isNew whether there is no such schedule yet
     * @param version of the schedule that is edited, see {@link StoredSchedules}; empty: it is new
     * @param calendars that there are
     * @param times what was typed, in words; null: it was not checked, or something is wrong
     * @param changes of the schedule that is edited
     */
    public record Model(
            ScheduleForm form,
            String path,
            boolean isInstalled,
            boolean isNew,
            String version,
            List<String> calendars,
            @Nullable String times,
            List<NextTime> next,
            List<FieldChange> changes) {
        /** The policies for times at which no node ran, and their words. */
        public Map<String, String> missed() {
            Map<String, String> choices = new LinkedHashMap<>();
            choices.put("once", "add one job for all of them");
            choices.put("skip", "drop those more than a minute past");
            choices.put("all", "add a job for each");
            return choices;
        }

        /** The policies for a time at which the last job has not ended, and their words. */
        public Map<String, String> overlap() {
            Map<String, String> choices = new LinkedHashMap<>();
            choices.put("allow", "add another job");
            choices.put("skip", "add no job");
            choices.put("queue_one", "add one that waits until it has ended");
            choices.put("cancel_old", "cancel it, and add another");
            return choices;
        }

        /** The policies for a time that the clocks leave out, and their words. */
        public Map<String, String> skippedHour() {
            Map<String, String> choices = new LinkedHashMap<>();
            choices.put("run", "run at the change of the clocks");
            choices.put("skip", "leave it out");
            return choices;
        }

        /** The policies for a time that occurs twice, and their words. */
        public Map<String, String> doubledHour() {
            Map<String, String> choices = new LinkedHashMap<>();
            choices.put("first", "run the first time");
            choices.put("both", "run both times");
            return choices;
        }

        /** The policies for a time on a day of the calendar, and their words. */
        public Map<String, String> onHoliday() {
            Map<String, String> choices = new LinkedHashMap<>();
            choices.put("skip", "leave it out");
            choices.put("next_day", "move it to the next day that is not in the calendar");
            return choices;
        }

        /** What may stand in the field of the calendar. */
        public String calendarHint() {
            if (calendars.isEmpty()) return "there is none yet: Schedules has a page for calendars; empty: none";
            int shown = Math.min(5, calendars.size());
            return String.join(", ", calendars.subList(0, shown)) + (shown < calendars.size() ? ", ..." : "")
                    + "; empty: none";
        }

        /** Whether one of the settings that most schedules do without is set, or wrong. */
        public boolean hasMore() {
            for (Map.Entry<String, String> each : MORE.entrySet()) {
                String value = form.value(each.getKey());
                if (form.error(each.getKey()) != null || !value.isEmpty() && !value.equals(each.getValue()))
                    return true;
            }
            return false;
        }
    }

    /** A field that gets another value; an empty one: none. */
    public record FieldChange(String name, String before, String after) {}

    @Override
    public Page page(PageRequest request) {
        String name = request.names().get("name");
        return new Page(
                        name == null ? "New schedule" : "Edit schedule " + name,
                        Section.SCHEDULES,
                        new Part("form", "schedule-form.jte", () -> model(request, name)))
                .still();
    }

    private Model model(PageRequest request, @Nullable String name) {
        boolean installed = queries.installed().jobs();
        Schedules.Entry stored = name == null ? null : SchedulePageController.find(data, queries, name);
        String version = stored == null ? "" : ScheduleLists.version(stored);
        boolean checked = request.text("check") != null;
        ScheduleForm form = checked
                ? ScheduleForm.read(request::text, stored)
                : stored == null ? ScheduleForm.empty() : ScheduleForm.of(stored);
        if (checked && stored == null && installed) form = SaveSchedule.refuseKnown(data, form);
        if (checked && installed) form = SaveSchedule.refuseEmptyCalendar(data, form);
        Schedule schedule = form.schedule();
        List<String> calendars =
                installed ? List.copyOf(data.schedules().calendars().keySet()) : List.of();
        if (schedule == null)
            return new Model(
                    form, request.path(), installed, name == null, version, calendars, null, List.of(), List.of());
        Instant now = Instant.now();
        String calendar = schedule.calendar();
        List<Instant> next = calendar == null
                ? schedule.next(SchedulePageController.TIMES, now)
                : schedule.next(
                        SchedulePageController.TIMES,
                        now,
                        Set.copyOf(data.schedules().holidays(calendar)));
        return new Model(
                form,
                request.path(),
                installed,
                name == null,
                version,
                calendars,
                ScheduleWords.times(schedule),
                NextTime.of(next, now, schedule.zone()),
                stored == null ? List.of() : changes(ScheduleForm.of(stored), form));
    }

    private static List<FieldChange> changes(ScheduleForm before, ScheduleForm after) {
        List<FieldChange> changes = new ArrayList<>();
        after.values().forEach((name, value) -> {
            String old = before.value(name);
            if (!old.strip().equals(value.strip())) changes.add(new FieldChange(name.replace('_', ' '), old, value));
        });
        return changes;
    }
}
