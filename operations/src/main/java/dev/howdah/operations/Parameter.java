package dev.howdah.operations;

import dev.howdah.operations.value.ValueType;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A value that an operation takes or returns, or that names its object.
 *
 * @param name in JSON and forms; the command line writes hyphens for its underscores
 * @param isRequired whether it has to be given
 * @param isArgument whether the command line has it as an argument, not as an option
 * @param preset the value if none is given; null: none
 * @param help what it is, with units and bounds
 */
public record Parameter<T>(
        String name,
        ValueType<T> type,
        boolean isRequired,
        boolean isArgument,
        @Nullable T preset,
        String help) {
    /** One that has to be given. */
    public static <T> Parameter<T> of(String name, ValueType<T> type, String help) {
        return new Parameter<>(name, type, true, true, null, help);
    }

    /** One that may be absent. */
    public static <T> Parameter<T> maybe(String name, ValueType<T> type, String help) {
        return new Parameter<>(name, type, false, false, null, help);
    }

    /** One that may be absent, and is an argument of the command all the same. */
    public static <T> Parameter<T> argument(String name, ValueType<T> type, String help) {
        return new Parameter<>(name, type, false, true, null, help);
    }

    /** One that has a value also if none is given. */
    public static <T> Parameter<T> preset(String name, ValueType<T> type, T preset, String help) {
        return new Parameter<>(name, type, false, false, preset, help);
    }

    /** The same as an option of the command line, although it has to be given. */
    public Parameter<T> asOption() {
        return new Parameter<>(name, type, isRequired, false, preset, help);
    }

    /** The name as an option or an argument of the command line has it. */
    public String word() {
        return name.replace('_', '-');
    }

    /** The name as the label of a field. */
    public String label() {
        String words = name.replace('_', ' ');
        return words.substring(0, 1).toUpperCase(Locale.ROOT) + words.substring(1);
    }

    /** @throws ParameterException that names this parameter */
    T read(String text) {
        try {
            return type.read(text);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(this, String.valueOf(e.getMessage()));
        }
    }

    String print(Object value) {
        @SuppressWarnings("unchecked") // Values are stored by Values, under their own parameters.
        T typed = (T) value;
        return type.print(typed);
    }
}
