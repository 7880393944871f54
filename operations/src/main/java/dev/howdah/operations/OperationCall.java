package dev.howdah.operations;

import org.jspecify.annotations.Nullable;

/**
 * A call of an operation on one object.
 *
 * @param key the values that name the object
 * @param values those of the parameters
 */
public record OperationCall(Engine engine, Values key, Values values) {
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
