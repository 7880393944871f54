package dev.howdah.operations.shape;

import dev.howdah.operations.Parameter;
import dev.howdah.operations.value.ValueType;
import org.jspecify.annotations.Nullable;

/**
 * A field of JSON, or a parameter in an address.
 *
 * @param isRequired whether it is always there
 * @param words what it is
 * @param shape of an object, or of the objects of an array; null: any
 * @param possible values; null: any of the type
 */
public record Field(
        String name,
        FieldType type,
        boolean isRequired,
        String words,
        @Nullable Shape shape,
        @Nullable ValueType<?> possible) {
    /** Of the answer of a list: where the next page begins. */
    public static final Field NEXT =
            maybe("next", FieldType.TEXT, "the parameter after of the next page; absent: this is the last one");

    /** Of the answer of a list: where the page before ends. */
    public static final Field PREVIOUS =
            maybe("previous", FieldType.TEXT, "the parameter before of the page before; absent: this is the first one");

    /** Of the request of a list. */
    public static final Field AFTER = maybe("after", FieldType.TEXT, "next of the page before");

    /** Of the request of a list. */
    public static final Field BEFORE = maybe("before", FieldType.TEXT, "previous of the page behind");

    /** Of the body of each change. */
    public static final Field REASON =
            maybe("reason", FieldType.TEXT, "why it is changed, up to 200 characters; kept in the audit log");

    /** A parameter as a field. */
    public static Field of(Parameter<?> parameter) {
        FieldType type = switch (parameter.type().form()) {
            case TEXT -> FieldType.TEXT;
            case ID -> FieldType.ID;
            case WHOLE -> FieldType.INTEGER;
            case DECIMAL -> FieldType.NUMBER;
            case FLAG -> FieldType.BOOLEAN;
            case PERIOD -> FieldType.DURATION;
            case TIME -> FieldType.TIME;
            case TEXTS -> FieldType.TEXTS;
            case JSON -> FieldType.JSON;
        };
        String bounds = parameter.type().words();
        String words = parameter.help().replaceAll("\\.$", "") + (bounds.isEmpty() ? "" : ": " + bounds);
        return new Field(parameter.name(), type, parameter.isRequired(), words, null, parameter.type());
    }

    /** A field that is always there. */
    public static Field of(String name, FieldType type, String words) {
        return new Field(name, type, true, words, null, null);
    }

    /** A field that may be absent. */
    public static Field maybe(String name, FieldType type, String words) {
        return new Field(name, type, false, words, null, null);
    }

    /** A field of that shape that may be absent. */
    public static Field maybe(String name, FieldType type, Shape shape, String words) {
        return new Field(name, type, false, words, shape, null);
    }

    /** An object of that shape. */
    public static Field one(String name, Shape shape, String words) {
        return new Field(name, FieldType.OBJECT, true, words, shape, null);
    }

    /** A number of objects that may be counted up to a bound only. */
    public static Field count(String name, String words) {
        return one(name, Shape.COUNT, words);
    }

    /** An array of objects of that shape. */
    public static Field many(String name, Shape shape, String words) {
        return new Field(name, FieldType.OBJECTS, true, words, shape, null);
    }

    /** The same where it may be absent. */
    public Field optional() {
        return new Field(name, type, false, words, shape, possible);
    }
}
