package dev.howdah.console.internal.schedule;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Routes;
import dev.howdah.operations.Role;
import dev.howdah.operations.read.EngineReads;

/** The pages and actions of schedules by their paths. */
public final class SchedulePages {
    private SchedulePages() {}

    /** @param tasks the part of the list with the schedules of tasks */
    public static void add(ConsoleData data, Part tasks, Routes<PageController> pages, Routes<PageAction> actions) {
        EngineReads queries = new EngineReads(data.source(), data.schema());
        pages.add("/schedules", Role.VIEWER, new SchedulesPage(data, queries, tasks));
        pages.add("/schedules/new", Role.ADMINISTRATOR, new ScheduleFormPage(data, queries));
        pages.add("/schedules/{name}", Role.VIEWER, new SchedulePageController(data, queries));
        pages.add("/schedules/{name}/edit", Role.ADMINISTRATOR, new ScheduleFormPage(data, queries));
        actions.add("/schedules/new", Role.ADMINISTRATOR, new SaveSchedule(data, queries));
        actions.add("/schedules/{name}/edit", Role.ADMINISTRATOR, new SaveSchedule(data, queries));
    }

    /** The path of a schedule; that of one named new is spelled another way than that of the form. */
    public static String path(String name) {
        return "/schedules/" + PageRequest.segment(name);
    }
}
