package dev.howdah.daemon.console;

import dev.howdah.internal.error.PlainText;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A table of rows as psql prints it. The widths come from the first rows, up to a thousand of them or a megabyte;
 * after those, rows are printed as they come, so that a result of any length takes little memory. Not safe for use
 * by several threads.
 */
public final class AlignedTable {
    private static final int LOOKED_AT_ROWS = 1_000;
    private static final int LOOKED_AT_CHARACTERS = 1_000_000;

    /**
     * A column.
     *
     * @param name its heading
     * @param right whether its values stand at the right, as numbers do
     */
    public record Column(String name, boolean right) {}

    private final PrintStream out;
    private final List<Column> columns;
    private final int[] widths;
    private final boolean inLines;
    private final List<String[][]> waiting = new ArrayList<>();
    private int waitingCharacters;
    private boolean begun;
    private long rows;

    private AlignedTable(PrintStream out, List<Column> columns, boolean inLines) {
        this.out = out;
        this.columns = List.copyOf(columns);
        this.inLines = inLines;
        this.widths = columns.stream().mapToInt(c -> widest(lines(c.name()))).toArray();
    }

    /** Makes a table whose values keep their lines, as the results of statements do. */
    public static AlignedTable ofResult(PrintStream out, List<Column> columns) {
        return new AlignedTable(out, columns, false);
    }

    /** Makes a table whose rows are one line each: line feeds and tabs of values are shown by their codes, as in logs. */
    public static AlignedTable ofList(PrintStream out, List<Column> columns) {
        return new AlignedTable(out, columns, true);
    }

    /** Adds a row; null stands for NULL and is printed as nothing. */
    public void row(List<@Nullable String> values) {
        rows++;
        String[][] cells = new String[columns.size()][];
        for (int i = 0; i < cells.length; i++) {
            String value = values.get(i);
            String shown = value == null ? "" : value;
            cells[i] = inLines ? new String[] {PlainText.line(shown)} : lines(shown);
            if (begun) continue;
            widths[i] = Math.max(widths[i], widest(cells[i]));
            waitingCharacters += value == null ? 0 : value.length();
        }
        if (begun) {
            print(cells);
            return;
        }
        waiting.add(cells);
        if (waiting.size() >= LOOKED_AT_ROWS || waitingCharacters >= LOOKED_AT_CHARACTERS) begin();
    }

    /** Prints what is left, and how many rows there were. */
    public void end() {
        if (!begun) begin();
        out.print(rows == 1 ? "(1 row)\n\n" : "(" + rows + " rows)\n\n");
    }

    private void begin() {
        begun = true;
        heading();
        waiting.forEach(this::print);
        waiting.clear();
    }

    private void heading() {
        StringBuilder rule = new StringBuilder();
        String[][] names = new String[columns.size()][];
        for (int i = 0; i < widths.length; i++) {
            rule.append(i == 0 ? "-" : "+-").append("-".repeat(widths[i] + 1));
            names[i] = lines(columns.get(i).name());
        }
        int height = height(names);
        for (int line = 0; line < height; line++) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                String part = line < names[i].length ? names[i][line] : "";
                int room = widths[i] - DisplayWidth.of(part);
                text.append(i == 0 ? " " : "| ")
                        .append(" ".repeat(room / 2))
                        .append(part)
                        .append(" ".repeat(room - room / 2))
                        .append(line + 1 < names[i].length ? '+' : ' ');
            }
            out.print(text.append('\n'));
        }
        out.print(columns.isEmpty() ? "--\n" : rule.append('\n'));
    }

    private void print(String[][] cells) {
        int height = height(cells);
        for (int line = 0; line < height; line++) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < cells.length; i++) {
                String part = line < cells[i].length ? cells[i][line] : "";
                boolean more = line + 1 < cells[i].length;
                String room = " ".repeat(Math.max(0, widths[i] - DisplayWidth.of(part)));
                text.append(i == 0 ? " " : "| ");
                boolean last = i + 1 == cells.length;
                if (columns.get(i).right()) text.append(room).append(part);
                else text.append(part).append(last && !more ? "" : room);
                if (more) text.append('+');
                else if (!last) text.append(' ');
            }
            out.print(text.append('\n'));
        }
    }

    private static int height(String[][] cells) {
        return Arrays.stream(cells).mapToInt(c -> c.length).max().orElse(0);
    }

    private static int widest(String[] lines) {
        return Arrays.stream(lines).mapToInt(DisplayWidth::of).max().orElse(0);
    }

    /** The lines of a value, with what a terminal would take as a command made visible. */
    private static String[] lines(String value) {
        boolean plain = value.chars().noneMatch(c -> c == '\n' || c == '\t' || PlainText.isUnsafe(c));
        if (plain) return new String[] {value};
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '\n') {
                lines.add(line.toString());
                line.setLength(0);
            } else if (c == '\t') {
                line.append(" ".repeat(8 - DisplayWidth.of(line.toString()) % 8));
            } else if (PlainText.isUnsafe(c)) {
                line.append(PlainText.code(c));
            } else {
                line.append(c);
            }
        }
        lines.add(line.toString());
        return lines.toArray(String[]::new);
    }
}
