package dev.howdah.operations.value;

import java.util.List;

/** One of a few words. */
public record ChoiceValue(List<String> choices) implements ValueType<String> {
    public ChoiceValue {
        choices = List.copyOf(choices);
    }

    /** With these words. */
    public static ChoiceValue of(String... words) {
        return new ChoiceValue(List.of(words));
    }

    @Override
    public Form form() {
        return Form.TEXT;
    }

    @Override
    public String read(String text) {
        String plain = text.strip();
        for (String each : choices) if (each.equalsIgnoreCase(plain)) return each;
        throw new IllegalArgumentException("has to be one of " + words() + ", not \"" + text + "\"");
    }

    @Override
    public String words() {
        return String.join(", ", choices);
    }
}
