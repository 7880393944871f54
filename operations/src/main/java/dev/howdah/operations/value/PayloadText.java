package dev.howdah.operations.value;

import dev.howdah.internal.json.JsonText;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What is looked for in payloads: JSON, or as people write it, {@code customer=7} or {@code address.city=Edinburgh}. */
public final class PayloadText {
    private static final Pattern FIELD =
            Pattern.compile("([\\p{L}_$][\\p{L}\\p{N}_$-]*(?:\\.[\\p{L}_$][\\p{L}\\p{N}_$-]*)*)\\s*=\\s*(.+)");
    private static final Pattern VALUE =
            Pattern.compile("-?(0|[1-9]\\d*)(\\.\\d+)?|true|false|null|\".*\"|\\{.*}|\\[.*]");

    private PayloadText() {}

    /** Whether that is a field with its value. */
    public static boolean isField(String text) {
        return FIELD.matcher(text.strip()).matches();
    }

    /** The JSON that a payload has to contain. A value that is no JSON is a text; a number as a text stands in double quotes. */
    public static String json(String text) {
        Matcher field = FIELD.matcher(text.strip());
        if (!field.matches()) return text;
        String value = field.group(2).strip();
        String json = VALUE.matcher(value).matches() ? value : JsonText.quote(value);
        String[] path = field.group(1).split("\\.");
        for (int i = path.length - 1; i >= 0; i--) json = "{" + JsonText.quote(path[i]) + ": " + json + "}";
        return json;
    }
}
