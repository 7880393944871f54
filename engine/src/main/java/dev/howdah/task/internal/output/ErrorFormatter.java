package dev.howdah.task.internal.output;

import dev.howdah.internal.wire.ServerMessage;
import org.jspecify.annotations.Nullable;

/**
 * Renders an error the way the server's log would show it.
 *
 * @param verbosity the value of log_error_verbosity: terse, default or verbose
 * @param withStatement whether the input stands below the error: false where log_min_error_statement is above error
 */
public record ErrorFormatter(String verbosity, boolean withStatement) {
    public static final ErrorFormatter DEFAULT = new ErrorFormatter("default", true);

    /** For messages below an error, without the places they come from. */
    static final ErrorFormatter NOTICE = new ErrorFormatter("notice", false);

    /** Reads the two settings as the server writes them. */
    public static ErrorFormatter of(String verbosity, String minErrorStatement) {
        return new ErrorFormatter(verbosity, !minErrorStatement.matches("log|fatal|panic"));
    }

    /** The error of a task with that input. */
    public String render(ServerMessage error, String input) {
        StringBuilder text = new StringBuilder();
        text.append(error.localizedSeverity()).append(":  ");
        if (verbosity.equals("verbose")) text.append(error.code()).append(": ");
        text.append(indent(error.message()));
        int position = error.position() > 0 ? error.position() : error.internalPosition();
        if (position > 0) text.append(" at character ").append(position);
        if (!verbosity.equals("terse")) {
            part(text, "DETAIL", error.detail());
            part(text, "HINT", error.hint());
            if (!verbosity.equals("notice")) {
                part(text, "QUERY", error.internalQuery());
                part(text, "CONTEXT", error.where());
            }
            if (verbosity.equals("verbose")) part(text, "LOCATION", location(error));
        }
        if (withStatement) part(text, "STATEMENT", input);
        return text.toString();
    }

    /** An error of our own, in the same form. */
    public static String plain(String message, @Nullable String detail) {
        return plain(message, detail, null);
    }

    /** The same with what can be done about it. */
    public static String plain(String message, @Nullable String detail, @Nullable String hint) {
        StringBuilder text = new StringBuilder("ERROR:  ").append(indent(message));
        part(text, "DETAIL", detail);
        part(text, "HINT", hint);
        return text.toString();
    }

    private static @Nullable String location(ServerMessage error) {
        if (error.file() == null) return null;
        String place = error.file() + ":" + error.line();
        return error.routine() == null ? place : error.routine() + ", " + place;
    }

    private static void part(StringBuilder text, String name, @Nullable String value) {
        if (value != null) text.append('\n').append(name).append(":  ").append(indent(value));
    }

    private static String indent(String value) {
        return value.replace("\n", "\n\t");
    }
}
