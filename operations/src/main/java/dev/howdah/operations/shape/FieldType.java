package dev.howdah.operations.shape;

import org.jspecify.annotations.Nullable;

/** The type of a field of JSON, or of a parameter in an address. */
public enum FieldType {
    TEXT("string", null, "a string"),
    /** A 64-bit number as decimal digits: JavaScript has no such numbers. In bodies an integer is taken as well. */
    ID("string", "int64", "an id such as \"42\""),
    INTEGER("integer", "int32", "an integer"),
    NUMBER("number", "double", "a number"),
    BOOLEAN("boolean", null, "true or false"),
    TIME("string", "date-time", "a time such as \"2026-11-25T14:00:00Z\""),
    DURATION("string", "duration", "a duration such as \"PT30S\""),
    TEXTS("array", null, "an array of strings"),
    OBJECT("object", null, "an object"),
    OBJECTS("array", null, "an array of objects"),
    JSON(null, null, "JSON");

    private final @Nullable String type;
    private final @Nullable String format;
    private final String words;

    FieldType(@Nullable String type, @Nullable String format, String words) {
        this.type = type;
        this.format = format;
        this.words = words;
    }

    /** As JSON Schema names it; null: any. */
    public @Nullable String type() {
        return type;
    }

    public @Nullable String format() {
        return format;
    }

    /** As messages name it. */
    public String words() {
        return words;
    }
}
