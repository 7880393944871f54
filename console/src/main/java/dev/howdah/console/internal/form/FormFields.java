package dev.howdah.console.internal.form;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.DateTimeException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What was typed into a form, and what is wrong with it. For one thread. */
public final class FormFields {
    private static final ObjectMapper JSON = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private final Map<String, String> values = new LinkedHashMap<>();
    private final Map<String, String> errors = new LinkedHashMap<>();

    /** Reads the fields of these names. */
    public FormFields(List<String> names, Function<String, @Nullable String> typed) {
        // A browser ends lines as MS-DOS did.
        for (String each : names)
            values.put(each, Objects.requireNonNullElse(typed.apply(each), "").replace("\r\n", "\n"));
    }

    /** What was typed into a field, as it was; empty: nothing. */
    public String value(String field) {
        return values.getOrDefault(field, "");
    }

    /** What is wrong with a field; null: nothing. */
    public @Nullable String error(String field) {
        return errors.get(field);
    }

    /** By field, as they were typed. */
    public Map<String, String> values() {
        return values;
    }

    /** By field; empty: nothing is wrong. */
    public Map<String, String> errors() {
        return errors;
    }

    /** What was typed into a field, without blanks around it. */
    public String text(String field) {
        return values.getOrDefault(field, "").strip();
    }

    /** The value is this one, whatever was typed. */
    public void set(String field, String value) {
        values.put(field, value);
    }

    /** Says what is wrong with a field, unless something is said already. */
    public void wrong(String field, String error) {
        errors.putIfAbsent(field, error);
    }

    /** What was typed into a field that must not be empty; null: it is. */
    public @Nullable String given(String field, String missing) {
        String value = text(field);
        if (!value.isEmpty()) return value;
        wrong(field, missing);
        return null;
    }

    /** Uses what was typed into a field, unless it is empty; an IllegalArgumentException is what is wrong with it. */
    public void use(String field, Consumer<String> change) {
        String value = text(field);
        if (!value.isEmpty()) attempt(field, () -> change.accept(value));
    }

    /** Does something of which an IllegalArgumentException is what is wrong with the field. */
    public void attempt(String field, Runnable change) {
        try {
            change.run();
        } catch (IllegalArgumentException | DateTimeException e) {
            wrong(field, String.valueOf(e.getMessage()));
        }
    }

    /** Uses the whole number in a field, unless it is empty. */
    public void useNumber(String field, String called, int least, int most, Consumer<Integer> change) {
        use(field, value -> {
            if (!value.matches("-?\\d{1,9}") || Integer.parseInt(value) < least || Integer.parseInt(value) > most)
                throw new IllegalArgumentException(
                        called + " is a number from " + least + " to " + most + ", not \"" + value + "\"");
            change.accept(Integer.parseInt(value));
        });
    }

    /** Uses the choice in a field, unless it is empty. */
    public <E extends Enum<E>> void choose(String field, Class<E> type, Consumer<E> use) {
        use(field, value -> {
            for (E each : type.getEnumConstants())
                if (each.name().equalsIgnoreCase(value)) {
                    use.accept(each);
                    return;
                }
            throw new IllegalArgumentException(field + " cannot be \"" + value + "\"");
        });
    }

    /** The JSON in a field; null: there is something wrong with it. */
    public @Nullable JsonNode json(String field, String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            String at = e.getLocation() == null
                    ? ""
                    : " (line " + e.getLocation().getLineNr() + ", column "
                            + e.getLocation().getColumnNr() + ")";
            wrong(field, "this is no JSON" + at + ": " + e.getOriginalMessage());
            return null;
        }
    }
}
