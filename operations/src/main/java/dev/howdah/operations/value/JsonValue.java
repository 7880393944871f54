package dev.howdah.operations.value;

import dev.howdah.internal.json.JsonText;

/**
 * Any JSON.
 *
 * @param longest the maximum number of characters
 */
public record JsonValue(int longest) implements ValueType<String> {
    @Override
    public Form form() {
        return Form.JSON;
    }

    @Override
    public String read(String text) {
        if (text.length() > longest)
            throw new IllegalArgumentException("has to have up to " + longest + " characters, not " + text.length());
        JsonText.check(text);
        return text.strip();
    }

    @Override
    public String words() {
        return "up to " + longest + " characters";
    }
}
