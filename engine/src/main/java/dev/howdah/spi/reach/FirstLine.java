package dev.howdah.spi.reach;

import org.jspecify.annotations.Nullable;

/** The first line of an input: where it is a whole request, that line names the path. Scans of the table read it, and not the input. */
public final class FirstLine {
    /** So many characters of an input are looked at, empty lines at its beginning included. */
    public static final int LOOKED_AT = 2_200;

    private FirstLine() {}

    /**
     * The first line that is not empty, as the statements that look for tasks read it.
     *
     * @param remote of the task; null if it has none
     * @return null where {@code remote} has no option for a whole request
     */
    public static @Nullable String of(@Nullable String remote, @Nullable String input) {
        if (remote == null || !mayBeRequest(remote)) return null;
        if (input == null) return "";
        int characters = input.codePointCount(0, Math.min(input.length(), 2 * LOOKED_AT));
        int end = characters <= LOOKED_AT ? input.length() : input.offsetByCodePoints(0, LOOKED_AT);
        int from = 0;
        while (from < end && isBreak(input.charAt(from))) from++;
        int to = from;
        while (to < end && !isBreak(input.charAt(to))) to++;
        return input.substring(from, to);
    }

    /** An option may be written with percent signs. */
    private static boolean mayBeRequest(String remote) {
        int options = remote.indexOf('#');
        return options >= 0 && (remote.indexOf("input=request", options) > 0 || remote.indexOf('%', options) > 0);
    }

    private static boolean isBreak(char c) {
        return c == '\n' || c == '\r';
    }
}
