package dev.howdah.console.internal.api.schedule;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.api.ApiAnswer;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleQueries;
import dev.howdah.operations.Role;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** {@code /calendars}: the days on which schedules add no job. Safe for use by many threads. */
public final class CalendarRoutes {
    private static final int MOST_DAYS = 10_000;

    private final ConsoleData data;
    private final ConsoleQueries queries;

    private CalendarRoutes(ConsoleData data) {
        this.data = data;
        this.queries = new ConsoleQueries(data.source(), data.schema());
    }

    public static List<ApiRoute> of(ConsoleData data) {
        CalendarRoutes calendars = new CalendarRoutes(data);
        return List.of(
                ApiRoute.read(
                        "/calendars",
                        "listCalendars",
                        "Lists calendars by name.",
                        List.of(),
                        CalendarShapes.PAGE,
                        request -> calendars.list()),
                ApiRoute.read(
                        "/calendars/{name}",
                        "getCalendar",
                        "Lists the days of a calendar.",
                        List.of(),
                        CalendarShapes.DAYS,
                        calendars::days),
                ApiRoute.change(
                        "/calendars/{name}/add-days",
                        "addDays",
                        Role.ADMINISTRATOR,
                        "Adds days to a calendar; it exists as soon as it has one.",
                        CalendarShapes.CHANGE,
                        200,
                        CalendarShapes.CHANGED,
                        "calendars.add-days",
                        request ->
                                changed(data.schedules().addHolidays(request.name("name"), calendars.sent(request)))),
                ApiRoute.change(
                        "/calendars/{name}/remove-days",
                        "removeDays",
                        Role.ADMINISTRATOR,
                        "Removes days from a calendar.",
                        CalendarShapes.CHANGE,
                        200,
                        CalendarShapes.CHANGED,
                        "calendars.remove-days",
                        request -> changed(
                                data.schedules().removeHolidays(request.name("name"), calendars.sent(request)))));
    }

    private ApiAnswer list() {
        ObjectNode answer = ApiJson.object();
        ArrayNode items = answer.putArray("items");
        if (!queries.installed().jobs()) return ApiAnswer.ok(answer);
        for (Map.Entry<String, Long> each : data.schedules().calendars().entrySet())
            items.addObject().put("name", each.getKey()).put("days", ApiJson.number(each.getValue()));
        return ApiAnswer.ok(answer);
    }

    private ApiAnswer days(ApiRequest request) {
        String name = request.name("name");
        Set<LocalDate> days = data.schedules().holidays(name);
        if (days.isEmpty()) throw ApiProblemException.notFound("there is no calendar \"" + name + "\"");
        ObjectNode json = ApiJson.object();
        json.put("name", name);
        ArrayNode array = json.putArray("days");
        days.forEach(each -> array.add(each.toString()));
        return ApiAnswer.ok(json);
    }

    private Set<LocalDate> sent(ApiRequest request) {
        List<String> texts = request.texts("days");
        if (texts.isEmpty() || texts.size() > MOST_DAYS)
            throw ApiProblemException.invalid("days has " + texts.size() + " days: it has to be 1 to " + MOST_DAYS);
        Set<LocalDate> days = new TreeSet<>();
        for (String each : texts) {
            try {
                days.add(LocalDate.parse(each));
            } catch (DateTimeException e) {
                throw ApiProblemException.invalid("days: a day is written as 2027-01-01, not \"" + each + "\"");
            }
        }
        return days;
    }

    private static ApiAnswer changed(long days) {
        ObjectNode json = ApiJson.object();
        json.put("changed", ApiJson.number(days));
        return ApiAnswer.ok(json);
    }
}
