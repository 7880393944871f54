package dev.howdah.daemon.cli.top;

import dev.howdah.daemon.cli.top.TopScreen.Mode;
import dev.howdah.daemon.cli.top.list.TopColumn;
import dev.howdah.daemon.cli.top.list.TopPage;
import dev.howdah.daemon.cli.top.list.TopRow;
import dev.howdah.daemon.cli.top.list.TopText;
import dev.howdah.daemon.cli.top.list.TopTone;
import dev.howdah.daemon.cli.top.list.TopView;
import java.util.ArrayList;
import java.util.List;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;
import org.jspecify.annotations.Nullable;

/** Draws a screen. Immutable. */
final class TopPainter {
    private static final int LEAST_WIDTH = 20;
    private static final int LEAST_HEIGHT = 6;

    /** What the last column needs at least. */
    private static final int LEAST_REST = 12;

    private static final String GAP = "  ";

    private final boolean colour;
    private final String database;

    /** @param database its name, for people */
    TopPainter(boolean colour, String database) {
        this.colour = colour;
        this.database = database;
    }

    /** The lines of the terminal, as many as it has. */
    List<AttributedString> paint(TopScreen screen) {
        List<AttributedString> lines = new ArrayList<>();
        int width = screen.width();
        if (width < LEAST_WIDTH || screen.height() < LEAST_HEIGHT) {
            lines.add(plain("too small; q quits", width));
        } else if (screen.mode() == Mode.DETAILS || screen.mode() == Mode.HELP) {
            for (String each : screen.lines()) lines.add(plain(each, width));
            fill(lines, screen.height() - 1);
            lines.add(bar(screen.hasMoreLines() ? "Space or Down: more   Esc: back" : "Esc: back", width));
        } else {
            lines.add(tabs(screen));
            lines.add(status(screen));
            table(screen, lines);
            fill(lines, screen.height() - 1);
            lines.add(lastLine(screen));
        }
        fill(lines, screen.height());
        return lines.subList(0, Math.min(lines.size(), screen.height()));
    }

    private static void fill(List<AttributedString> lines, int height) {
        while (lines.size() < height) lines.add(AttributedString.EMPTY);
        while (lines.size() > Math.max(0, height)) lines.remove(lines.size() - 1);
    }

    private static AttributedString cut(AttributedString text, int width) {
        return text.columnLength() <= width ? text : text.columnSubSequence(0, width);
    }

    private static AttributedString plain(String text, int width) {
        return cut(new AttributedString(text), width);
    }

    private static AttributedString bar(String text, int width) {
        return cut(new AttributedString(text, AttributedStyle.DEFAULT.faint()), width);
    }

    private AttributedString tabs(TopScreen screen) {
        AttributedStringBuilder line = new AttributedStringBuilder();
        for (int i = 0; i < screen.views().size(); i++) {
            TopView each = screen.views().get(i);
            boolean current = each == screen.view();
            String text = (i + 1) + " " + each.title();
            // Brackets say it where a terminal cannot show the inverse.
            line.styled(
                    current ? AttributedStyle.INVERSE : AttributedStyle.DEFAULT,
                    current ? "[" + text + "]" : " " + text + " ");
        }
        int left = screen.width() - line.columnLength() - 2;
        if (left >= LEAST_REST) {
            String name = plain(database, left).toString();
            line.append(" ".repeat(screen.width() - line.columnLength() - new AttributedString(name).columnLength()));
            line.styled(AttributedStyle.DEFAULT.faint(), name);
        }
        return cut(line.toAttributedString(), screen.width());
    }

    private AttributedString status(TopScreen screen) {
        AttributedStringBuilder line = new AttributedStringBuilder();
        String failure = screen.failure();
        if (failure != null)
            return cut(
                    line.styled(style(TopTone.FAILED).bold(), "Not up to date: " + TopText.line(failure))
                            .toAttributedString(),
                    screen.width());
        if (!screen.state().isEmpty()) line.styled(AttributedStyle.BOLD, "state: " + screen.state() + GAP);
        if (!screen.filter().isEmpty() && screen.mode() != Mode.FILTER)
            line.styled(AttributedStyle.BOLD, "filter: " + TopText.line(screen.filter()) + GAP);
        line.append(screen.page().summary());
        return cut(line.toAttributedString(), screen.width());
    }

    private void table(TopScreen screen, List<AttributedString> lines) {
        TopPage page = screen.page();
        if (page.rows().isEmpty()) {
            lines.add(AttributedString.EMPTY);
            lines.add(plain(page.empty(), screen.width()));
            return;
        }
        int last = Math.min(page.rows().size(), screen.first() + screen.rows());
        List<TopRow> seen = page.rows().subList(Math.min(screen.first(), last), last);
        int[] widths = TopColumnWidths.of(page.columns(), seen, screen.width() - GAP.length(), LEAST_REST);
        lines.add(row(page.columns(), widths, null, AttributedStyle.BOLD, " ", screen.width()));
        for (int i = 0; i < seen.size(); i++) {
            TopRow each = seen.get(i);
            boolean selected = screen.first() + i == screen.selected();
            AttributedStyle style = style(each.tone());
            lines.add(row(
                    page.columns(),
                    widths,
                    each,
                    selected ? style.inverse() : style,
                    selected ? ">" : " ",
                    screen.width()));
        }
    }

    /** @param row null: the names of the columns */
    private static AttributedString row(
            List<TopColumn> columns,
            int[] widths,
            @Nullable TopRow row,
            AttributedStyle style,
            String mark,
            int width) {
        StringBuilder line = new StringBuilder(mark).append(' ');
        for (int i = 0; i < columns.size(); i++) {
            if (widths[i] == 0) continue;
            TopColumn column = columns.get(i);
            String text = plain(row == null ? column.name() : row.cells().get(i), widths[i])
                    .toString();
            String blanks = " ".repeat(Math.max(0, widths[i] - new AttributedString(text).columnLength()));
            line.append(column.right() ? blanks + text : text + blanks).append(GAP);
        }
        return cut(new AttributedString(line.toString().stripTrailing(), style), width);
    }

    private AttributedStyle style(TopTone tone) {
        AttributedStyle plain = AttributedStyle.DEFAULT;
        if (!colour) return plain;
        return switch (tone) {
            case WAITING -> plain;
            case RUNNING -> plain.foreground(AttributedStyle.CYAN);
            case DONE -> plain.foreground(AttributedStyle.GREEN);
            case RETRYING -> plain.foreground(AttributedStyle.YELLOW);
            case FAILED -> plain.foreground(AttributedStyle.RED);
            case PAUSED -> plain.foreground(AttributedStyle.MAGENTA);
        };
    }

    private static AttributedString lastLine(TopScreen screen) {
        if (screen.mode() == Mode.FILTER) {
            String text = "/" + screen.filter() + "_";
            AttributedString whole = new AttributedString(TopText.line(text));
            int length = whole.columnLength();
            return length <= screen.width() ? whole : whole.columnSubSequence(length - screen.width(), length);
        }
        if (!screen.said().isEmpty())
            return cut(
                    new AttributedString(
                            screen.said(),
                            screen.mode() == Mode.QUESTION ? AttributedStyle.INVERSE : AttributedStyle.BOLD),
                    screen.width());
        return bar(
                "?: keys   q: quit   s: state   /: filter   Enter: why   r: retry   c: cancel   p: pause",
                screen.width());
    }
}
