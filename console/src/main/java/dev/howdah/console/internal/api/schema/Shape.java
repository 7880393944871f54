package dev.howdah.console.internal.api.schema;

import java.util.List;

/** An object of JSON: its name in the OpenAPI document, and its fields. */
public record Shape(String name, List<Field> fields) {
    public Shape {
        fields = List.copyOf(fields);
    }

    public static Shape of(String name, Field... fields) {
        return new Shape(name, List.of(fields));
    }
}
