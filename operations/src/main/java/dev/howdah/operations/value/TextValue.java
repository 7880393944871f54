package dev.howdah.operations.value;

/**
 * A text that is not blank.
 *
 * @param longest the maximum number of characters
 */
public record TextValue(int longest) implements ValueType<String> {
    /** The longest name of a queue, a kind, a group or a schedule. */
    public static final TextValue NAME = new TextValue(200);

    @Override
    public Form form() {
        return Form.TEXT;
    }

    @Override
    public String read(String text) {
        String plain = text.strip();
        if (plain.isEmpty()) throw new IllegalArgumentException("is empty");
        if (plain.length() > longest)
            throw new IllegalArgumentException("has to have up to " + longest + " characters, not " + plain.length());
        return plain;
    }

    @Override
    public String words() {
        return "up to " + longest + " characters";
    }
}
