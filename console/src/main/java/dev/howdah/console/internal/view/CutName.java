package dev.howdah.console.internal.view;

import org.jspecify.annotations.Nullable;

/**
 * A name for a cell of a table: of a long one the middle is not shown where the window is narrow. Beginning and end tell names apart,
 * and what is copied is the whole.
 *
 * @param middle empty: the name is short
 */
public record CutName(String head, String middle, String tail) {
    private static final int SHORT = 36;
    private static final int HEAD = 18;
    private static final int TAIL = 16;

    /** The first line of a name; null is an empty one. */
    public static CutName of(@Nullable String name) {
        String line = Texts.line(name);
        int[] points = line.codePoints().toArray();
        if (points.length <= SHORT) return new CutName(line, "", "");
        int tail = points.length - TAIL;
        return new CutName(
                new String(points, 0, HEAD), new String(points, HEAD, tail - HEAD), new String(points, tail, TAIL));
    }

    /** The beginning and the end, where the middle cannot be kept. */
    String brief() {
        return middle.isEmpty() ? head : head + "\u2026" + tail;
    }

    public String whole() {
        return head + middle + tail;
    }
}
