package dev.howdah.console.internal.calendar;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.NotFoundException;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import dev.howdah.operations.read.EngineReads;
import java.time.LocalDate;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The form with the days of a calendar: {@code /calendars/new} and {@code /calendars/{name}}. */
public final class CalendarFormPage implements PageController {
    private final ConsoleData data;
    private final EngineReads queries;

    CalendarFormPage(ConsoleData data, EngineReads queries) {
        this.data = data;
        this.queries = queries;
    }

    /**
     * What the template shows.
     *
     * @param path of the form
     * @param name of the calendar; null: it is a new one
     * @param days one on each line
     */
    public record Model(
            boolean isInstalled, String path, @Nullable String name, String days) {}

    @Override
    public Page page(PageRequest request) {
        String name = request.names().get("name");
        return new Page(
                        name == null ? "New calendar" : "Calendar " + name,
                        Section.SCHEDULES,
                        new Part("form", "calendar-form.jte", () -> model(request.path(), name)))
                .still();
    }

    private Model model(String path, @Nullable String name) {
        boolean installed = queries.installed().jobs();
        Set<LocalDate> days = installed && name != null ? data.schedules().holidays(name) : Set.of();
        if (name != null && days.isEmpty()) throw new NotFoundException("there is no calendar \"" + name + "\"");
        return new Model(
                installed,
                name == null ? path : CalendarPages.path(name) + "/edit",
                name,
                days.stream().map(LocalDate::toString).collect(Collectors.joining("\n")));
    }
}
