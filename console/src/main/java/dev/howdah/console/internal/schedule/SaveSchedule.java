package dev.howdah.console.internal.schedule;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.ActionRequest;
import dev.howdah.console.internal.page.ActionResult;
import dev.howdah.console.internal.page.BadRequestException;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.job.NewJob;
import dev.howdah.job.Schedule;
import dev.howdah.job.Schedules;
import dev.howdah.operations.listed.ScheduleLists;
import dev.howdah.operations.read.EngineReads;
import java.util.Map;

/** Stores the schedule of the form that was checked. */
final class SaveSchedule implements PageAction {
    private final ConsoleData data;
    private final EngineReads queries;

    SaveSchedule(ConsoleData data, EngineReads queries) {
        this.data = data;
        this.queries = queries;
    }

    @Override
    public ActionResult run(ActionRequest request) {
        String name = request.page().names().get("name");
        Schedules.Entry stored = name == null ? null : SchedulePageController.find(data, queries, name);
        if (stored != null && !ScheduleLists.version(stored).equals(request.field("version")))
            throw new BadRequestException(
                    "Schedule " + name
                            + " was changed in the meantime. Nothing was stored: open the form again, and look at what it is now.");
        ScheduleForm form = ScheduleForm.read(request::field, stored);
        if (stored == null) form = refuseKnown(data, form);
        form = refuseEmptyCalendar(data, form);
        Schedule schedule = form.schedule();
        NewJob<String> job = form.job();
        if (schedule == null || job == null)
            throw new BadRequestException(
                    "Nothing was stored: " + String.join("; ", form.errors().values()) + ".");
        try {
            StoredSchedules.put(data, schedule, job);
        } catch (IllegalArgumentException e) {
            throw new BadRequestException("Nothing was stored: " + e.getMessage() + ".");
        }
        return new ActionResult(
                "Schedule " + schedule.name() + (stored == null ? " is stored." : " is changed."),
                SchedulePages.path(schedule.name()));
    }

    /** The form with an error if it is of a new schedule whose name is taken. */
    static ScheduleForm refuseKnown(ConsoleData data, ScheduleForm form) {
        Schedule schedule = form.schedule();
        if (schedule == null || data.schedules().find(schedule.name()).isEmpty()) return form;
        return wrong(form, ScheduleForm.NAME, "there is a schedule of this name: edit it, or choose another name");
    }

    /** The form with an error if the calendar has no days, which would be refused. */
    static ScheduleForm refuseEmptyCalendar(ConsoleData data, ScheduleForm form) {
        Schedule schedule = form.schedule();
        String calendar = schedule == null ? null : schedule.calendar();
        if (calendar == null || !data.schedules().holidays(calendar).isEmpty()) return form;
        return wrong(
                form,
                ScheduleOptions.CALENDAR,
                "there is no calendar \"" + calendar + "\" yet: it exists as soon as it has a day");
    }

    private static ScheduleForm wrong(ScheduleForm form, String field, String error) {
        return new ScheduleForm(form.values(), Map.of(field, error), null, null);
    }
}
