package dev.howdah.operations.value;

/**
 * A text that is not blank.
 *
 * @param longest the maximum number of characters
 */
public record TextValue(int longest) implements ValueType<String> {
    @Override
    public Form form() {
        return Form.TEXT;
    }

    @Override
    public String read(String text) {
        String plain = text.strip();
        if (plain.isEmpty()) throw new IllegalArgumentException("is empty");
        int characters = plain.codePointCount(0, plain.length());
        if (characters > longest)
            throw new IllegalArgumentException("has to have up to " + longest + " characters, not " + characters);
        return plain;
    }

    @Override
    public String words() {
        return "up to " + longest + " characters";
    }
}
