package dev.howdah.console.internal.calendar;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.ActionRequest;
import dev.howdah.console.internal.page.ActionResult;
import dev.howdah.console.internal.page.BadRequestException;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.operations.change.CalendarOperations;
import java.time.LocalDate;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Stores the days of a calendar: those that were added to the form, and not those that were taken from it. */
final class SaveCalendar implements PageAction {
    private final ConsoleData data;

    SaveCalendar(ConsoleData data) {
        this.data = data;
    }

    @Override
    public ActionResult run(ActionRequest request) {
        String known = request.page().names().get("name");
        String name = known == null
                ? Objects.requireNonNullElse(request.field("name"), "").strip()
                : known;
        if (name.isEmpty()) throw new BadRequestException("Nothing was stored: the calendar needs a name.");
        Set<LocalDate> days = days(request.field("days"));
        // Only what was changed here: days that others have added in the meantime stay.
        Set<LocalDate> added = new TreeSet<>(days);
        Set<LocalDate> removed = days(request.field("before"));
        added.removeAll(removed);
        removed.removeAll(days);
        if (known == null && added.isEmpty())
            throw new BadRequestException("Nothing was stored: a calendar exists as soon as it has a day.");
        long more = added.isEmpty() ? 0 : data.schedules().addHolidays(name, added);
        long fewer = removed.isEmpty() ? 0 : data.schedules().removeHolidays(name, removed);
        return new ActionResult("Calendar " + name + ": " + more + " added, " + fewer + " removed.", "/calendars");
    }

    private static Set<LocalDate> days(@Nullable String text) {
        String lines = text == null ? "" : text.strip().replaceAll("[\\s,;]+", "\n");
        if (lines.isEmpty()) return new TreeSet<>();
        try {
            return new TreeSet<>(CalendarOperations.DAYS.read(lines));
        } catch (IllegalArgumentException e) {
            throw new BadRequestException("Nothing was stored: days " + e.getMessage() + ".");
        }
    }
}
