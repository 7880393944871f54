package dev.howdah.operations.list;

import dev.howdah.operations.Engine;
import dev.howdah.operations.Parameter;
import dev.howdah.operations.Values;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What is asked of a list.
 *
 * @param key the values that name what it belongs to
 * @param values of its filters and its order
 * @param limit of rows
 */
public record ListCall(Engine engine, Values key, Values values, ListPlace place, int limit) {
    /** The same from another place on. */
    public ListCall at(ListPlace other) {
        return new ListCall(engine, key, values, other, limit);
    }

    /** The value of a parameter of the key. */
    public <T> T key(Parameter<T> parameter) {
        return key.get(parameter);
    }

    /** The value of a filter; null: it has none. */
    public <T> @Nullable T find(Parameter<T> filter) {
        return values.find(filter);
    }

    /** The value of a filter with a preset. */
    public <T> T get(Parameter<T> filter) {
        return values.get(filter);
    }

    /** The constant that a filter names; null: it has no value. */
    public <E extends Enum<E>> @Nullable E find(Parameter<String> filter, Class<E> constants) {
        String word = find(filter);
        return word == null ? null : get(filter, constants);
    }

    /** The constant that a filter with a preset names. */
    public <E extends Enum<E>> E get(Parameter<String> filter, Class<E> constants) {
        return Enum.valueOf(constants, get(filter).toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    /** Rows of a database with tables of jobs; without them there are none. */
    public <R> List<R> ofJobs(Supplier<List<R>> rows) {
        return engine.reads().installed().jobs() ? rows.get() : List.of();
    }

    /** Rows of a database with tables of sweeps. */
    public <R> List<R> ofSweeps(Supplier<List<R>> rows) {
        return engine.reads().installed().sweeps() ? rows.get() : List.of();
    }

    /** One row more than a page has: if it is there, there is another page. */
    public int asked() {
        return limit + 1;
    }

    /** Whether the rows before a place are asked for, in the opposite order. */
    public boolean isBackwards() {
        return place.isBackwards();
    }
}
