package dev.howdah.operations.change;

import dev.howdah.operations.ChangeOutcome;
import dev.howdah.operations.Engine;
import dev.howdah.operations.Operation;
import dev.howdah.operations.Parameter;
import dev.howdah.operations.ParameterException;
import dev.howdah.operations.Role;
import dev.howdah.operations.Subject;
import dev.howdah.operations.Values;
import dev.howdah.operations.value.DayValue;
import dev.howdah.operations.value.FlagValue;
import dev.howdah.operations.value.ManyValue;
import dev.howdah.operations.value.NameValue;
import dev.howdah.operations.value.WholeValue;
import java.time.LocalDate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The operations on calendars of holidays. */
public final class CalendarOperations {
    /** Days of a calendar, each once or more. */
    public static final ManyValue<LocalDate> DAYS = new ManyValue<>(new DayValue(), 10_000);

    private static final Parameter<String> NAME = Parameter.of("name", NameValue.USUAL, "The name of the calendar.");

    private static final Parameter<List<LocalDate>> ADDED =
            Parameter.of("days", DAYS, "The days to add, such as 2026-12-25.");

    private static final Parameter<List<LocalDate>> REMOVED =
            Parameter.argument("days", DAYS, "The days to remove, such as 2026-12-25.");

    private static final Parameter<Boolean> ALL_DAYS =
            Parameter.maybe("all", new FlagValue(), "Remove all days, and so the calendar.");

    private static final Parameter<Integer> COUNT =
            Parameter.of("days", new WholeValue(0, Integer.MAX_VALUE), "How many days were added or removed.");

    private static final Subject CALENDAR = new Subject(
            "calendar", "calendars", List.of(NAME), "/calendars/{name}", "job calendar", CalendarOperations::image);

    public static final Operation ADD_DAYS = Operation.of(
                    CALENDAR,
                    "add-days",
                    Role.ADMINISTRATOR,
                    "Add days to a calendar, on which its schedules add no job. The first ones create it.")
            .id("addDays")
            .command("job calendar add")
            .takes(ADDED)
            .returns(COUNT)
            .say("", "{target} has these days already.")
            .does(call -> {
                long days = call.engine().schedules().addHolidays(call.key(NAME), call.get(ADDED));
                return days == 0 ? ChangeOutcome.already().with(COUNT, 0) : done(days, " added to {target}.");
            });

    public static final Operation REMOVE_DAYS = Operation.of(
                    CALENDAR,
                    "remove-days",
                    Role.ADMINISTRATOR,
                    "Remove days from a calendar, or all of them and so the calendar.")
            .id("removeDays")
            .command("job calendar remove")
            .takes(REMOVED, ALL_DAYS)
            .returns(COUNT)
            .check(CalendarOperations::check)
            .ask("Remove these days from {target}? Its schedules add jobs on them again.")
            .say("", "{target} has none of these days.")
            .does(call -> {
                String name = call.key(NAME);
                List<LocalDate> given = call.find(REMOVED);
                long days = given == null
                        ? call.engine().schedules().removeCalendar(name)
                        : call.engine().schedules().removeHolidays(name, given);
                if (days > 0) return done(days, " removed from {target}.");
                return call.engine().schedules().holidays(name).isEmpty()
                        ? ChangeOutcome.missing("There is no calendar \"" + name + "\"")
                        : ChangeOutcome.already().with(COUNT, 0);
            });

    /** All of them. */
    public static final List<Operation> ALL = List.of(ADD_DAYS, REMOVE_DAYS);

    private CalendarOperations() {}

    private static void check(Values values) {
        if (values.isOn(ALL_DAYS) == (values.find(REMOVED) != null))
            throw new ParameterException(REMOVED, "has to be given, or all, and not both");
    }

    private static ChangeOutcome done(long days, String words) {
        return ChangeOutcome.done()
                .said(days + (days == 1 ? " day was" : " days were") + words)
                .with(COUNT, Math.toIntExact(days));
    }

    /** A calendar as it is. */
    public record CalendarImage(String name, List<String> days) {}

    private static @Nullable Record image(Engine engine, Values key) {
        String name = key.get(NAME);
        List<String> days = engine.schedules().holidays(name).stream()
                .map(LocalDate::toString)
                .toList();
        return days.isEmpty() ? null : new CalendarImage(name, days);
    }
}
