package dev.howdah.operations.value;

/**
 * The name of an object that is there: as it is, with blanks at its ends, since those may be part of it.
 *
 * @param longest the maximum number of characters
 */
public record NameValue(int longest) implements ValueType<String> {
    /** The longest name of a queue, a schedule or a calendar. */
    public static final NameValue USUAL = new NameValue(200);

    @Override
    public Form form() {
        return Form.TEXT;
    }

    @Override
    public String read(String text) {
        int characters = text.codePointCount(0, text.length());
        if (characters > longest)
            throw new IllegalArgumentException("has to have up to " + longest + " characters, not " + characters);
        return text;
    }

    @Override
    public String words() {
        return "up to " + longest + " characters";
    }
}
