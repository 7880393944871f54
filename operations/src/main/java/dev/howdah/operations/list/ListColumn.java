package dev.howdah.operations.list;

import dev.howdah.operations.shape.Field;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A column of rows.
 *
 * @param field its name, its type, and what it says
 * @param value of a row: a text, a constant, a number, a boolean, a time, a duration, JSON as text, a {@link BoundedCount}, rows of
 *     {@code nested}, or a list of texts; null: it has none
 * @param item of the objects in it; null: it has none
 */
public record ListColumn<R>(
        Field field,
        Function<R, ? extends @Nullable Object> value,
        Mask mask,
        Rank rank,
        @Nullable ListItem<?> item) {
    /** What may be in its texts. */
    public enum Mask {
        /** Nothing that is secret. */
        NONE,
        /** Secrets of users, which some roles see. */
        SECRETS,
        /** An address, whose password is shown to no role. */
        ADDRESS
    }

    /** Where it is shown. */
    public enum Rank {
        ALWAYS,
        /** Not in tables on narrow screens. */
        WIDE,
        /** Not in tables that do not name it. */
        MORE,
        /** Not in lists: of one object only. */
        DETAIL
    }

    /** Its name. */
    public String name() {
        return field.name();
    }

    ListColumn<R> masked(Mask secret) {
        return new ListColumn<>(field, value, secret, rank, item);
    }

    ListColumn<R> ranked(Rank place) {
        return new ListColumn<>(field, value, mask, place, item);
    }
}
