package dev.howdah.internal.wire;

import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** An error or notice of the server with all that it says about it. Immutable. */
public final class ServerMessage {
    private final Map<Character, String> fields;

    /** @param fields by the letters of the protocol: {@code S}, {@code V}, {@code C}, {@code M}, ... */
    public ServerMessage(Map<Character, String> fields) {
        this.fields = Map.copyOf(fields);
    }

    /** ERROR, FATAL, PANIC, WARNING, NOTICE, DEBUG, INFO or LOG, never translated. */
    public String severity() {
        return Objects.requireNonNullElse(fields.get('V'), localizedSeverity());
    }

    /** The severity in the language of the server's messages. */
    public String localizedSeverity() {
        return fields.getOrDefault('S', "");
    }

    /** The SQLSTATE. */
    public String code() {
        return fields.getOrDefault('C', "");
    }

    public String message() {
        return fields.getOrDefault('M', "");
    }

    public @Nullable String detail() {
        return fields.get('D');
    }

    public @Nullable String hint() {
        return fields.get('H');
    }

    /** Where in the text of the query, counted in characters from 1; 0 if that is not known. */
    public int position() {
        return number('P');
    }

    /** Where in {@link #internalQuery()}, counted in characters from 1; 0 if that is not known. */
    public int internalPosition() {
        return number('p');
    }

    /** The text of a command that the server made itself, for instance in a function. */
    public @Nullable String internalQuery() {
        return fields.get('q');
    }

    /** The CONTEXT: the calls that led to the error, innermost first. */
    public @Nullable String where() {
        return fields.get('W');
    }

    public @Nullable String schema() {
        return fields.get('s');
    }

    public @Nullable String table() {
        return fields.get('t');
    }

    public @Nullable String constraint() {
        return fields.get('n');
    }

    /** The file of the server's source code. */
    public @Nullable String file() {
        return fields.get('F');
    }

    /** The line in {@link #file()}; 0 if that is not known. */
    public int line() {
        return number('L');
    }

    public @Nullable String routine() {
        return fields.get('R');
    }

    /** Returns whether the server ends the session with this message. */
    public boolean isFatal() {
        return severity().equals("FATAL") || severity().equals("PANIC");
    }

    private int number(char field) {
        try {
            return Integer.parseInt(fields.getOrDefault(field, "0"));
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ServerMessage that && fields.equals(that.fields);
    }

    @Override
    public int hashCode() {
        return fields.hashCode();
    }

    /** {@code ERROR: relation "t" does not exist (42P01)}. */
    @Override
    public String toString() {
        return localizedSeverity() + ": " + message() + " (" + code() + ")";
    }
}
