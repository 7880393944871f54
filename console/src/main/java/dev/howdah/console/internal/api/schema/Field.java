package dev.howdah.console.internal.api.schema;

import org.jspecify.annotations.Nullable;

/**
 * A field of JSON, or a parameter in an address.
 *
 * @param isRequired whether it is always there
 * @param words what it is
 * @param shape of an object, or of the objects of an array; null: any
 */
public record Field(
        String name,
        FieldType type,
        boolean isRequired,
        String words,
        @Nullable Shape shape) {
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

    /** A field that is always there. */
    public static Field of(String name, FieldType type, String words) {
        return new Field(name, type, true, words, null);
    }

    /** A field that may be absent. */
    public static Field maybe(String name, FieldType type, String words) {
        return new Field(name, type, false, words, null);
    }

    /** A field of that shape that may be absent. */
    public static Field maybe(String name, FieldType type, Shape shape, String words) {
        return new Field(name, type, false, words, shape);
    }

    /** An object of that shape. */
    public static Field one(String name, Shape shape, String words) {
        return new Field(name, FieldType.OBJECT, true, words, shape);
    }

    /** A number of objects that may be counted up to a bound only. */
    public static Field count(String name, String words) {
        return one(name, Shape.COUNT, words);
    }

    /** An array of objects of that shape. */
    public static Field many(String name, Shape shape, String words) {
        return new Field(name, FieldType.OBJECTS, true, words, shape);
    }
}
