package dev.howdah.console.internal.schedule;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleQueries;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Routes;

/** The pages and actions of schedules by their paths. */
public final class SchedulePages {
    private SchedulePages() {}

    /** @param tasks the part of the list with the schedules of tasks */
    public static void add(ConsoleData data, Part tasks, Routes<PageController> pages, Routes<PageAction> actions) {
        ConsoleQueries queries = new ConsoleQueries(data.source(), data.schema());
        pages.add("/schedules", new SchedulesPage(data, queries, tasks));
        pages.add("/schedules/new", new ScheduleFormPage(data, queries));
        pages.add("/schedules/{name}", new SchedulePageController(data, queries));
        pages.add("/schedules/{name}/edit", new ScheduleFormPage(data, queries));
        ScheduleActions schedule = new ScheduleActions(data);
        actions.add("/schedules/new", new SaveSchedule(data, queries).forAdministrators());
        actions.add("/schedules/{name}/edit", new SaveSchedule(data, queries).forAdministrators());
        actions.add("/schedules/{name}/run-now", schedule.runNow());
        actions.add("/schedules/{name}/pause", schedule.pause());
        actions.add("/schedules/{name}/resume", schedule.resume());
        actions.add("/schedules/{name}/remove", schedule.remove().forAdministrators());
    }

    /** The path of a schedule; that of one named new is spelled another way than that of the form. */
    public static String path(String name) {
        return "/schedules/" + (name.equals("new") ? "%6Eew" : PageRequest.encoded(name));
    }
}
