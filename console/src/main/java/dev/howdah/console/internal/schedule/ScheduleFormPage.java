package dev.howdah.console.internal.schedule;

import dev.howdah.console.internal.access.Role;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleQueries;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import dev.howdah.job.Schedule;
import dev.howdah.job.Schedules;
import java.time.Instant;
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
    private final ConsoleData data;
    private final ConsoleQueries queries;

    ScheduleFormPage(ConsoleData data, ConsoleQueries queries) {
        this.data = data;
        this.queries = queries;
    }

    /**
     * What the template shows.
     *
     * @param path of the form
     * @param isNew whether there is no such schedule yet
     * @param version of the schedule that is edited, see {@link StoredSchedules}; empty: it is new
     * @param times what was typed, in words; null: it was not checked, or something is wrong
     */
    public record Model(
            ScheduleForm form,
            String path,
            boolean isInstalled,
            boolean isNew,
            String version,
            @Nullable String times,
            List<NextTime> next) {
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
    }

    @Override
    public Role role() {
        return Role.ADMINISTRATOR;
    }

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
        String version = stored == null ? "" : StoredSchedules.version(stored);
        boolean checked = request.text("check") != null;
        ScheduleForm form = checked
                ? ScheduleForm.read(request::text, stored)
                : stored == null ? ScheduleForm.empty() : ScheduleForm.of(stored);
        if (checked && stored == null && installed) form = SaveSchedule.refuseKnown(data, form);
        Schedule schedule = form.schedule();
        if (schedule == null) return new Model(form, request.path(), installed, name == null, version, null, List.of());
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
                ScheduleWords.times(schedule),
                NextTime.of(next, now, schedule.zone()));
    }
}
