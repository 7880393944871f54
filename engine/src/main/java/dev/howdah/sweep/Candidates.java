package dev.howdah.sweep;

import dev.howdah.internal.sql.KeptSession;
import dev.howdah.internal.sql.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Reads the keys of rows that are to do, pass by pass, always behind those that it has read. No statement of it takes long, for its
 * snapshot would keep the server from clearing away dead rows: where the rows to do are too far apart, it reads so many
 * rows of any kind at a time. For one thread.
 */
final class Candidates implements AutoCloseable {
    static final int LONGEST_MILLIS = 800;
    private static final int GOOD_NANOS = 250_000_000;
    private static final int SMALLEST_WINDOW = 100;
    private static final int LARGEST_WINDOW = 200_000;

    private final DataSource source;
    private final Target target;
    private final int sweep;
    private final Statements statements;
    private final Map<ReadStatements.Segment, Reading> readings = new EnumMap<>(ReadStatements.Segment.class);
    private final Sql retryIn;
    private final List<ReadStatements.Segment> segments;
    private @Nullable KeptSession session;
    private int segment;
    private @Nullable List<String> last;
    private boolean byWindow;
    private int window = 10_000;

    private record Reading(Sql first, Sql next, Sql firstWindow, Sql nextWindow) {}

    Candidates(DataSource source, Target target, int sweep, Statements statements) {
        this.source = source;
        this.target = target;
        this.sweep = sweep;
        this.statements = statements;
        this.retryIn = statements.candidate("retry_in");
        segments = statements.stamps().inTable()
                        || target.order() == null
                        || target.order().isNotNull()
                ? List.of(ReadStatements.Segment.ALL)
                : List.of(ReadStatements.Segment.ORDERED, ReadStatements.Segment.UNORDERED);
    }

    /** Begins from the beginning. */
    void rewind() {
        segment = 0;
        last = null;
        byWindow = statements.stamps().inTable();
    }

    /** Whether this pass has read everything. */
    boolean isAtEnd() {
        return segment >= segments.size();
    }

    /** The next rows; may be none although the end is not reached. */
    List<Key> read(int most) throws SQLException {
        if (byWindow) return readWindow();
        try {
            List<List<String>> rows = rows(most, false);
            if (rows.size() < most) nextSegment();
            return keys(rows);
        } catch (SQLException e) {
            if (!Failures.TIMEOUT.equals(e.getSQLState())) throw e;
            byWindow = true;
            return List.of();
        }
    }

    private List<Key> readWindow() throws SQLException {
        long begun = System.nanoTime();
        List<List<String>> rows;
        int asked = window;
        try {
            rows = rows(asked, true);
        } catch (SQLException e) {
            if (!Failures.TIMEOUT.equals(e.getSQLState())) throw e;
            if (window == SMALLEST_WINDOW)
                throw new SweepException("the condition takes too long: to look at " + SMALLEST_WINDOW
                        + " rows takes more than " + LONGEST_MILLIS + " ms");
            window = Math.max(window / 10, SMALLEST_WINDOW);
            return List.of();
        }
        long taken = System.nanoTime() - begun;
        int columns = target.key().size() + leading();
        boolean more =
                !rows.isEmpty() && rows.get(rows.size() - 1).get(columns + 1).equals(Integer.toString(asked));
        List<List<String>> todo = new ArrayList<>();
        for (List<String> row : rows) if (row.get(columns).equals("t")) todo.add(row.subList(0, columns));
        if (!more) nextSegment();
        window = taken < GOOD_NANOS ? Math.min(window * 2, LARGEST_WINDOW) : Math.max(window / 2, SMALLEST_WINDOW);
        // Where they are close together again, there is no need to read others.
        if (todo.size() > asked / 4) byWindow = statements.stamps().inTable();
        return keys(todo);
    }

    /** How many columns a row that is read has in front of its key. */
    private int leading() {
        return statements.stamps().inTable() ? 2 : target.order() == null ? 0 : 1;
    }

    private List<Key> keys(List<List<String>> rows) {
        List<Key> keys = new ArrayList<>(rows.size());
        for (List<String> row : rows) keys.add(new Key(row.subList(leading(), row.size())));
        return keys;
    }

    private void nextSegment() {
        segment++;
        last = null;
    }

    private List<List<String>> rows(int most, boolean windowed) throws SQLException {
        ReadStatements.Segment now = segments.get(segment);
        Reading reading = readings.computeIfAbsent(now, this::compose);
        List<String> behind = last;
        Sql sql = windowed
                ? behind == null ? reading.firstWindow() : reading.nextWindow()
                : behind == null ? reading.first() : reading.next();
        List<@Nullable Object> values = new ArrayList<>(List.of(sweep, most));
        if (behind != null)
            values.addAll(now == ReadStatements.Segment.UNORDERED ? behind.subList(1, behind.size()) : behind);
        List<List<String>> rows = new ArrayList<>();
        try (ResultSet result = session().query(sql, values.toArray())) {
            int columns = result.getMetaData().getColumnCount();
            while (result.next()) {
                List<String> row = new ArrayList<>(columns);
                for (int i = 1; i <= columns; i++) row.add(String.valueOf(result.getString(i)));
                rows.add(row);
            }
        }
        int columns = target.key().size() + leading();
        if (!rows.isEmpty()) last = rows.get(rows.size() - 1).subList(0, columns);
        return rows;
    }

    private Reading compose(ReadStatements.Segment now) {
        if (statements.stamps().inTable()) {
            Sql first = statements.stamps().reading(false);
            Sql next = statements.stamps().reading(true);
            return new Reading(first, next, first, next);
        }
        return new Reading(
                statements.reads().reading("next", now, false),
                statements.reads().reading("next", now, true),
                statements.reads().reading("window", now, false),
                statements.reads().reading("window", now, true));
    }

    /** In how many milliseconds a row that has failed is tried again; -1: none is. */
    long retryIn() throws SQLException {
        try (ResultSet row = session().query(retryIn, sweep)) {
            row.next();
            long millis = row.getLong(1);
            return row.wasNull() ? -1 : millis;
        }
    }

    private KeptSession session() throws SQLException {
        KeptSession open = session;
        if (open != null) return open;
        open = open(source);
        session = open;
        return open;
    }

    /** A session in which no statement takes long. */
    static KeptSession open(DataSource source) throws SQLException {
        Connection connection = source.getConnection();
        KeptSession opened = new KeptSession(connection);
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET statement_timeout = " + LONGEST_MILLIS);
            return opened;
        } catch (SQLException e) {
            opened.close();
            throw e;
        }
    }

    /** Ends the session; the next read opens another. */
    @Override
    public void close() {
        KeptSession open = session;
        session = null;
        if (open != null) open.close();
    }
}
