package dev.howdah.operations;

import dev.howdah.operations.value.ValueType.Form;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Values by parameter. Immutable and safe for use by many threads. */
public final class Values {
    /** No values. */
    public static final Values NONE = new Values(Map.of());

    private final Map<Parameter<?>, Object> values;

    private Values(Map<Parameter<?>, Object> values) {
        this.values = values;
    }

    /** These values and one more; null: without that value. */
    public <T> Values with(Parameter<T> parameter, @Nullable T value) {
        Map<Parameter<?>, Object> all = new LinkedHashMap<>(values);
        if (value == null) all.remove(parameter);
        else all.put(parameter, value);
        return new Values(all);
    }

    /**
     * Reads texts. A text that is null or blank counts as absent.
     *
     * @param given the text of a parameter by its name
     * @throws ParameterException if a value is missing or not possible
     */
    public static Values read(List<Parameter<?>> parameters, Function<String, @Nullable String> given) {
        Map<Parameter<?>, Object> values = new LinkedHashMap<>();
        for (Parameter<?> each : parameters) {
            String text = given.apply(each.name());
            if (text != null && !text.isBlank()) values.put(each, each.read(text));
            else if (each.isRequired()) throw new ParameterException(each, "is missing: " + each.help());
        }
        return new Values(values);
    }

    /** The value of a parameter, or its preset; null: there is neither. */
    public <T> @Nullable T find(Parameter<T> parameter) {
        @SuppressWarnings("unchecked") // Both ways in pair a parameter with a value of its type.
        T value = (T) values.get(parameter);
        return value == null ? parameter.preset() : value;
    }

    /** The value of a parameter that is required or has a preset. */
    public <T> T get(Parameter<T> parameter) {
        T value = find(parameter);
        if (value == null) throw new IllegalArgumentException(parameter.name() + " has no value");
        return value;
    }

    /** Whether a flag is set. */
    public boolean isOn(Parameter<Boolean> parameter) {
        return Boolean.TRUE.equals(find(parameter));
    }

    /** Calls with each parameter that has a value, in their order. */
    public void forEach(BiConsumer<Parameter<?>, Object> action) {
        values.forEach(action);
    }

    /** The texts of the values by the names of their parameters, as {@link #read} reads them. */
    public Map<String, String> texts() {
        Map<String, String> texts = new LinkedHashMap<>();
        values.forEach((parameter, value) -> texts.put(parameter.name(), parameter.print(value)));
        return texts;
    }

    /** The same for forms: several texts of one parameter each by itself. */
    public Map<String, List<String>> fields() {
        Map<String, List<String>> fields = new LinkedHashMap<>();
        values.forEach((parameter, value) -> {
            String text = parameter.print(value);
            boolean isMany = parameter.type().form() == Form.TEXTS;
            fields.put(parameter.name(), isMany ? text.lines().toList() : List.of(text));
        });
        return fields;
    }
}
