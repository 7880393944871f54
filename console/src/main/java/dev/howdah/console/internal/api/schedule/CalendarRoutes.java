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
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** {@code /calendars}: the days on which schedules add no job. Safe for use by many threads. */
public final class CalendarRoutes {
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
                        calendars::days));
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
}
