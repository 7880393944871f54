package dev.howdah.sweep.internal.read;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.sql.SqlErrors;
import dev.howdah.sweep.SweepException;
import dev.howdah.sweep.internal.statements.ReadStatements;
import dev.howdah.sweep.internal.statements.SweepStatements;
import dev.howdah.sweep.internal.store.RowKey;
import dev.howdah.sweep.internal.store.TargetTable;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads the keys of rows that are to do, pass by pass, always behind those that it has read. No statement of it takes long, for its
 * snapshot would keep the server from clearing away dead rows: a later pass goes from milestone to milestone, and where the rows to do are
 * too far apart, it reads so many rows of any kind at a time. For one thread.
 */
public final class KeyScanner implements AutoCloseable {
    private static final int GOOD_NANOS = 250_000_000;
    private static final int SMALLEST_WINDOW = 100;
    private static final int LARGEST_WINDOW = 200_000;

    private final KeyCursor reader;
    private final int leading;
    private final int columns;
    private final boolean hasStamps;
    private final DeadEntryPruner lookBack;
    private final List<ReadStatements.Segment> segments;
    private final Map<ReadStatements.Segment, ScanCheckpoints> milestones = new EnumMap<>(ReadStatements.Segment.class);
    private int segment;
    private @Nullable List<String> last;
    private boolean isInside;
    private boolean byWindow;
    private int window = 10_000;

    public KeyScanner(ConnectionSource source, TargetTable target, int sweep, SweepStatements statements) {
        this(new KeyCursor(source, sweep, statements), target, statements, ScanCheckpoints::new);
    }

    /** @param fresh milestones of a segment */
    public KeyScanner(
            KeyCursor reader, TargetTable target, SweepStatements statements, Supplier<ScanCheckpoints> fresh) {
        this.reader = reader;
        this.lookBack = new DeadEntryPruner(reader);
        this.hasStamps = statements.stamps().inTable();
        this.leading = hasStamps ? 2 : target.order() == null ? 0 : 1;
        this.columns = leading + target.key().size();
        segments = hasStamps || target.order() == null || target.order().isNotNull()
                ? List.of(ReadStatements.Segment.ALL)
                : List.of(ReadStatements.Segment.ORDERED, ReadStatements.Segment.UNORDERED);
        for (ReadStatements.Segment each : segments) milestones.put(each, fresh.get());
    }

    /** Begins from the beginning. */
    public void rewind() {
        segment = 0;
        last = null;
        isInside = false;
        byWindow = hasStamps;
        milestones.values().forEach(ScanCheckpoints::rewind);
    }

    /** Returns whether this pass has read everything. */
    public boolean isAtEnd() {
        return segment >= segments.size();
    }

    /** The next rows; may be none although the end is not reached. */
    public List<RowKey> read(int most) throws SQLException {
        if (byWindow) return readWindow();
        ScanCheckpoints marks = marks();
        List<String> end = marks.next();
        long begun = System.nanoTime();
        List<List<String>> rows;
        try {
            rows = reader.next(stretch(end), most);
        } catch (SQLException e) {
            if (!SqlErrors.isCanceled(e)) throw e;
            // Where rows of the stretch were read already, a shorter one would begin before them.
            byWindow = isInside || end == null || !marks.shorten(4);
            return List.of();
        }
        boolean more = rows.size() == most;
        if (!rows.isEmpty()) last = rows.get(rows.size() - 1);
        if (end == null && last != null) marks.passed(rows.size(), last);
        if (end != null && !more) {
            long taken = System.nanoTime() - begun;
            reach(end);
            if (taken > GOOD_NANOS) marks.shorten(2);
            else if (taken < GOOD_NANOS / 2) marks.lengthen();
        } else if (!more) {
            nextSegment();
        } else {
            isInside = true;
        }
        return keys(rows);
    }

    private List<RowKey> readWindow() throws SQLException {
        ScanCheckpoints marks = marks();
        List<String> end = marks.next();
        long begun = System.nanoTime();
        List<List<String>> rows;
        int asked = window;
        try {
            rows = reader.window(stretch(end), asked);
        } catch (SQLException e) {
            if (!SqlErrors.isCanceled(e)) throw e;
            if (window == SMALLEST_WINDOW)
                throw new SweepException("the condition takes too long: to look at " + SMALLEST_WINDOW
                        + " rows takes more than " + KeyCursor.LONGEST_MILLIS + " ms");
            window = Math.max(window / 10, SMALLEST_WINDOW);
            return List.of();
        }
        long taken = System.nanoTime() - begun;
        boolean more =
                !rows.isEmpty() && rows.get(rows.size() - 1).get(columns + 1).equals(Integer.toString(asked));
        List<List<String>> todo = new ArrayList<>();
        for (List<String> row : rows) if (row.get(columns).equals("t")) todo.add(row.subList(0, columns));
        if (!rows.isEmpty()) last = rows.get(rows.size() - 1).subList(0, columns);
        if (more) {
            isInside = true;
            if (end == null && !hasStamps && last != null) marks.passed(asked, last);
        } else if (end == null) {
            nextSegment();
        } else {
            reach(end);
        }
        window = taken < GOOD_NANOS ? Math.min(window * 2, LARGEST_WINDOW) : Math.max(window / 2, SMALLEST_WINDOW);
        // Where they are close together again, there is no need to read others.
        if (todo.size() > asked / 4) byWindow = hasStamps;
        return keys(todo);
    }

    private ScanCheckpoints marks() {
        return marks(segments.get(segment));
    }

    private ScanCheckpoints marks(ReadStatements.Segment of) {
        return Objects.requireNonNull(milestones.get(of));
    }

    /** The stretch up to that milestone has been read. */
    private void reach(List<String> milestone) {
        marks().reach();
        last = milestone;
        isInside = false;
    }

    private void nextSegment() {
        segment++;
        last = null;
        isInside = false;
    }

    private List<RowKey> keys(List<List<String>> rows) {
        List<RowKey> keys = new ArrayList<>(rows.size());
        for (List<String> row : rows) keys.add(new RowKey(row.subList(leading, row.size())));
        return keys;
    }

    /** Returns whether there is something to do while nothing need be read. */
    boolean canLookBack() {
        return segments.stream().anyMatch(each -> lookBack.isDue(marks(each)));
    }

    /** Does a bit of it. */
    void lookBack() throws SQLException {
        for (ReadStatements.Segment each : segments)
            if (lookBack.isDue(marks(each))) {
                lookBack.look(each, marks(each));
                return;
            }
    }

    private KeyCursor.Stretch stretch(@Nullable List<String> end) {
        return new KeyCursor.Stretch(segments.get(segment), last, end);
    }

    /** In how many milliseconds a row that has failed is tried again; -1: none is. */
    long retryIn() throws SQLException {
        return reader.retryIn();
    }

    /** Ends the session; the next read opens another. */
    @Override
    public void close() {
        reader.close();
    }
}
