package dev.howdah.console.internal.api.schedule;

import dev.howdah.console.internal.api.schema.Field;
import dev.howdah.console.internal.api.schema.FieldType;
import dev.howdah.console.internal.api.schema.Shape;

/** The shapes of calendars. */
final class CalendarShapes {
    private static final Field NAME = Field.of("name", FieldType.TEXT, "its name");

    private static final Shape CALENDAR =
            Shape.of("Calendar", NAME, Field.of("days", FieldType.INTEGER, "how many days it has"));

    static final Shape PAGE = Shape.of("CalendarPage", Field.many("items", CALENDAR, "by name"));

    static final Shape DAYS =
            Shape.of("CalendarDays", NAME, Field.of("days", FieldType.TEXTS, "such as \"2027-01-01\", sorted"));

    private CalendarShapes() {}
}
