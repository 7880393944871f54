package dev.howdah.daemon.cli.sql;

import dev.howdah.daemon.console.DisplayWidth;
import dev.howdah.internal.error.PlainText;
import dev.howdah.internal.wire.ServerMessage;
import org.jspecify.annotations.Nullable;

/** A message of the server as psql prints it, with a mark under the place in the SQL that it is about. */
final class MessageText {
    /** How much of a long line is shown around the place. */
    private static final int WIDTH = 60;

    private MessageText() {}

    /** The message on its lines, each with its end. */
    static String of(ServerMessage message, String sql) {
        StringBuilder text = new StringBuilder();
        part(text, message.severity(), message.message());
        if (message.position() > 0) mark(text, sql, message.position());
        part(text, "DETAIL", message.detail());
        part(text, "HINT", message.hint());
        part(text, "QUERY", message.internalQuery());
        if (message.internalQuery() != null && message.internalPosition() > 0)
            mark(text, message.internalQuery(), message.internalPosition());
        boolean worthIt = !message.severity().matches("NOTICE|INFO|LOG|DEBUG");
        if (worthIt) part(text, "CONTEXT", message.where());
        return text.toString();
    }

    private static void part(StringBuilder text, String name, @Nullable String value) {
        if (value != null)
            text.append(name).append(":  ").append(PlainText.of(value)).append('\n');
    }

    /** {@code LINE 1: ...} and a caret; the position counts characters, not halves of them. */
    private static void mark(StringBuilder text, String sql, int position) {
        if (position > sql.codePointCount(0, sql.length()) + 1) return;
        int at = sql.offsetByCodePoints(0, position - 1);
        int begin = sql.lastIndexOf('\n', at - 1) + 1;
        int end = sql.indexOf('\n', at) < 0 ? sql.length() : sql.indexOf('\n', at);
        long number = sql.substring(0, begin).chars().filter(c -> c == '\n').count() + 1;
        int from = end - begin <= WIDTH ? begin : Math.max(begin, Math.min(at - WIDTH / 2, end - WIDTH));
        int to = Math.min(end, from + WIDTH);
        if (from > begin && Character.isLowSurrogate(sql.charAt(from))) from--;
        if (to < end && Character.isLowSurrogate(sql.charAt(to))) to++;
        String prefix = "LINE " + number + ": " + (from > begin ? "..." : "");
        String before =
                sql.substring(from, Math.max(from, at)).replace('\t', ' ').replace('\r', ' ');
        String line = sql.substring(from, to).replace('\t', ' ').replace('\r', ' ');
        text.append(prefix)
                .append(PlainText.of(line))
                .append(to < end ? "..." : "")
                .append('\n');
        text.append(" ".repeat(prefix.length() + DisplayWidth.of(before))).append("^\n");
    }
}
