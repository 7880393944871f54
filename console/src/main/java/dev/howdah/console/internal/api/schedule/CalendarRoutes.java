package dev.howdah.console.internal.api.schedule;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.api.ApiAnswer;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.operations.shape.Field;
import dev.howdah.operations.shape.FieldType;
import dev.howdah.operations.shape.Shape;
import java.time.LocalDate;
import java.util.List;
import java.util.Set;

/** {@code /calendars/{name}}: the days on which schedules add no job. Safe for use by many threads. */
public final class CalendarRoutes {
    private static final Shape DAYS = Shape.of(
            "CalendarDays",
            Field.of("name", FieldType.TEXT, "its name"),
            Field.of("days", FieldType.TEXTS, "such as \"2027-01-01\", sorted"));

    private final ConsoleData data;

    private CalendarRoutes(ConsoleData data) {
        this.data = data;
    }

    public static List<ApiRoute> of(ConsoleData data) {
        CalendarRoutes calendars = new CalendarRoutes(data);
        return List.of(ApiRoute.read("/calendars/{name}", "getCalendar", "Lists the days of a calendar.")
                .answers(DAYS)
                .does(calendars::days));
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
