package dev.howdah.console.internal.calendar;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import dev.howdah.operations.read.EngineReads;
import java.util.Map;

/** The calendars: {@code /calendars}. */
public final class CalendarsPage implements PageController {
    private final ConsoleData data;
    private final EngineReads queries;

    CalendarsPage(ConsoleData data, EngineReads queries) {
        this.data = data;
        this.queries = queries;
    }

    /** What the template shows: the number of days by name. */
    public record Model(boolean isInstalled, Map<String, Long> calendars) {}

    @Override
    public Page page(PageRequest request) {
        return new Page("Calendars", Section.SCHEDULES, new Part("calendars", "calendars.jte", this::model));
    }

    private Model model() {
        boolean installed = queries.installed().jobs();
        return new Model(installed, installed ? data.schedules().calendars() : Map.of());
    }
}
