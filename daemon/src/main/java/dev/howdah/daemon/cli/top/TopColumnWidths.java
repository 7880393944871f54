package dev.howdah.daemon.cli.top;

import dev.howdah.daemon.cli.top.list.TopColumn;
import dev.howdah.daemon.cli.top.list.TopRow;
import java.util.List;
import org.jline.utils.AttributedString;

/** How wide each column is: as its values, within its bound; those of the highest rank are dropped until all fit. */
final class TopColumnWidths {
    private static final int GAP = 2;

    private TopColumnWidths() {}

    /**
     * The widths; 0: the column is dropped.
     *
     * @param leastRest what the column that takes the rest needs at least
     */
    static int[] of(List<TopColumn> columns, List<TopRow> rows, int width, int leastRest) {
        int[] widths = new int[columns.size()];
        int highest = 0;
        for (int i = 0; i < widths.length; i++) {
            TopColumn column = columns.get(i);
            int widest = columns(column.name());
            for (TopRow row : rows)
                widest = Math.max(widest, columns(row.cells().get(i)));
            widths[i] =
                    column.isRest() ? leastRest : Math.min(widest, Math.max(column.widest(), columns(column.name())));
            highest = Math.max(highest, column.rank());
        }
        for (int rank = highest; rank > 0 && sum(widths) > width; rank--)
            for (int i = 0; i < widths.length; i++) if (columns.get(i).rank() == rank) widths[i] = 0;
        int left = width - sum(widths);
        for (int i = 0; i < widths.length; i++)
            if (columns.get(i).isRest() && widths[i] > 0) widths[i] = Math.max(1, widths[i] + left);
        return widths;
    }

    private static int columns(String text) {
        return new AttributedString(text).columnLength();
    }

    private static int sum(int[] widths) {
        int sum = -GAP;
        for (int each : widths) if (each > 0) sum += each + GAP;
        return sum;
    }
}
