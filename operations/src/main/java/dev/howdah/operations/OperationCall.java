package dev.howdah.operations;

import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/**
 * A call of an operation on one object.
 *
 * @param key the values that name the object
 * @param values those of the parameters
 * @param transaction of the caller, in which an operation that {@linkplain Operation#isAddition adds} something adds it; null: one of
 *     its own
 */
public record OperationCall(
        Engine engine, Values key, Values values, @Nullable Connection transaction) {
    public OperationCall(Engine engine, Values key, Values values) {
        this(engine, key, values, null);
    }

    /** The value of a parameter of the key. */
    public <T> T key(Parameter<T> parameter) {
        return key.get(parameter);
    }

    /** The value of a parameter that is required or has a preset. */
    public <T> T get(Parameter<T> parameter) {
        return values.get(parameter);
    }

    /** The value of a parameter; null: it has none. */
    public <T> @Nullable T find(Parameter<T> parameter) {
        return values.find(parameter);
    }
}
