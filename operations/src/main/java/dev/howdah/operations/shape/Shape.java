package dev.howdah.operations.shape;

import java.util.ArrayList;
import java.util.List;

/** An object of JSON: its name in the OpenAPI document, and its fields. */
public record Shape(String name, List<Field> fields) {
    /** A number that may be counted up to a bound only. */
    public static final Shape COUNT = of(
            "Count",
            Field.of("value", FieldType.INTEGER, "how many there are"),
            Field.of("exact", FieldType.BOOLEAN, "false: there are more; counting has ended there"));

    /** The body of a change that needs no further field. */
    public static final Shape REASON = of("Reason", Field.REASON);

    public Shape {
        fields = List.copyOf(fields);
    }

    public static Shape of(String name, Field... fields) {
        return new Shape(name, List.of(fields));
    }

    /** The same with one more field. */
    public Shape with(Field field) {
        List<Field> all = new ArrayList<>(fields);
        all.add(field);
        return new Shape(name, all);
    }
}
