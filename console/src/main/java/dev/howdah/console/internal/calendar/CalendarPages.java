package dev.howdah.console.internal.calendar;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Routes;
import dev.howdah.operations.Role;
import dev.howdah.operations.read.EngineReads;

/** The pages and actions of calendars by their paths. */
public final class CalendarPages {
    static final String NEW = "/calendars/new";

    private CalendarPages() {}

    public static void add(ConsoleData data, Routes<PageController> pages, Routes<PageAction> actions) {
        EngineReads queries = new EngineReads(data.source(), data.schema());
        pages.add("/calendars", Role.VIEWER, new CalendarsPage(data, queries));
        pages.add(NEW, Role.ADMINISTRATOR, new CalendarFormPage(data, queries));
        pages.add("/calendars/{name}", Role.ADMINISTRATOR, new CalendarFormPage(data, queries));
        actions.add(NEW, Role.ADMINISTRATOR, new SaveCalendar(data));
        actions.add("/calendars/{name}/edit", Role.ADMINISTRATOR, new SaveCalendar(data));
    }

    /** The path of a calendar; that of one named new is spelled another way than that of the form. */
    public static String path(String name) {
        return "/calendars/" + PageRequest.segment(name);
    }
}
