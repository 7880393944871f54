package dev.howdah.reach.internal.ssh;

/**
 * What a device has written since the last line that was sent, without colours and without what a pager writes over. Whole lines are
 * cleaned once. For one thread.
 */
final class DeviceAnswer {
    private static final String COLOURS = "\\x1b\\[[0-9;?]*[A-Za-z]|\\x1b[()][A-Z0-9]|\\x1b[=>]";
    private static final int LONGEST_LINE = 16_384;

    private final StringBuilder lines = new StringBuilder();
    private final StringBuilder rest = new StringBuilder();
    private String cleanRest = "";

    void clear() {
        lines.setLength(0);
        rest.setLength(0);
        cleanRest = "";
    }

    void add(String piece) {
        rest.append(piece);
        int end = rest.lastIndexOf("\n") + 1;
        if (end == 0 && rest.length() > LONGEST_LINE) end = rest.length();
        lines.append(clean(rest.substring(0, end)));
        rest.delete(0, end);
        cleanRest = clean(rest.toString());
    }

    private static String clean(String text) {
        return text.replaceAll(COLOURS, "")
                .replaceAll("\\r +\\r|[\\x08]+ +[\\x08]+", "")
                .replace("\r", "");
    }

    int length() {
        return lines.length() + cleanRest.length();
    }

    /** Forgets all from there on. */
    void cut(int length) {
        String kept = first(length);
        clear();
        lines.append(kept);
    }

    String first(int length) {
        return (lines + cleanRest).substring(0, length);
    }

    String last(int length) {
        if (cleanRest.length() >= length) return cleanRest.substring(cleanRest.length() - length);
        return lines.substring(Math.max(lines.length() - (length - cleanRest.length()), 0)) + cleanRest;
    }
}
