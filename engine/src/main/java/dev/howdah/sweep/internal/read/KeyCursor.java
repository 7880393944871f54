package dev.howdah.sweep.internal.read;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.sql.Sql;
import dev.howdah.sweep.internal.statements.ReadStatements;
import dev.howdah.sweep.internal.statements.SweepStatements;
import dev.howdah.sweep.internal.store.SweepSql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads keys between two places, in a session in which no statement takes long; opens that again when it was closed. For one thread. */
public final class KeyCursor implements AutoCloseable {
    static final int LONGEST_MILLIS = 800;
    /** For statements that are short on an idle server, and take their time on a busy one. */
    private static final int PATIENT_MILLIS = 10_000;
    /** Shorter, so that a lock in the way is told from a statement that takes long. */
    private static final int LOCK_MILLIS = 500;

    private static final Sql TIMEOUT = SweepSql.SWEEP.statement("sweep_statement_timeout");

    private final ConnectionSource source;
    private final int sweep;
    private final SweepStatements statements;
    private final Map<Reading, Sql> composed = new HashMap<>();
    private final Sql retryIn;
    private @Nullable DedicatedSession session;

    private record Reading(String name, ReadStatements.Segment segment, boolean behind, boolean upTo) {}

    /**
     * The keys to read.
     *
     * @param behind the place before the first row; null: from the first one on
     * @param end the place of the last row; null: to the end
     */
    record Stretch(
            ReadStatements.Segment segment,
            @Nullable List<String> behind,
            @Nullable List<String> end) {}

    public KeyCursor(ConnectionSource source, int sweep, SweepStatements statements) {
        this.source = source;
        this.sweep = sweep;
        this.statements = statements;
        this.retryIn = statements.candidate("key_retry_in");
    }

    /** The rows that are to do, so many at most. */
    List<List<String>> next(Stretch stretch, int most) throws SQLException {
        return rows("key_next", stretch, most);
    }

    /** So many rows of any kind; what comes back of them is said in {@code candidate.sql}. */
    List<List<String>> window(Stretch stretch, int rows) throws SQLException {
        return rows("key_window", stretch, rows);
    }

    /** Walks over a stretch for nothing but what PostgreSQL notes down about it: which entries of the index are of rows that are gone. */
    void walk(Stretch stretch) throws SQLException {
        rows("key_walk", stretch, Integer.MAX_VALUE);
    }

    private List<List<String>> rows(String name, Stretch stretch, int most) throws SQLException {
        List<String> behind = stretch.behind();
        List<String> end = stretch.end();
        Reading reading = new Reading(name, stretch.segment(), behind != null, end != null);
        List<@Nullable Object> values = new ArrayList<>(List.of(sweep, most));
        if (behind != null) values.addAll(place(stretch.segment(), behind));
        if (end != null) values.addAll(place(stretch.segment(), end));
        List<List<String>> rows = new ArrayList<>();
        try (ResultSet result = session().query(composed.computeIfAbsent(reading, this::compose), values.toArray())) {
            int columns = result.getMetaData().getColumnCount();
            while (result.next()) {
                List<String> row = new ArrayList<>(columns);
                for (int i = 1; i <= columns; i++) row.add(String.valueOf(result.getString(i)));
                rows.add(row);
            }
        }
        return rows;
    }

    /** What a place is compared by: where the order is NULL, by the key alone. */
    private static List<String> place(ReadStatements.Segment segment, List<String> columns) {
        return segment == ReadStatements.Segment.UNORDERED ? columns.subList(1, columns.size()) : columns;
    }

    private Sql compose(Reading reading) {
        if (statements.stamps().inTable()) return statements.stamps().reading(reading.behind());
        return statements.reads().reading(reading.name(), reading.segment(), reading.behind(), reading.upTo());
    }

    /** In how many milliseconds a row that has failed is tried again; -1: none is. */
    long retryIn() throws SQLException {
        try (ResultSet row = session().query(retryIn, sweep)) {
            row.next();
            long millis = row.getLong(1);
            return row.wasNull() ? -1 : millis;
        }
    }

    private DedicatedSession session() throws SQLException {
        DedicatedSession open = session;
        if (open != null) return open;
        open = open(source);
        session = open;
        return open;
    }

    /** A session in which no statement takes long. */
    public static DedicatedSession open(ConnectionSource source) throws SQLException {
        Connection connection = source.getConnection();
        DedicatedSession opened = new DedicatedSession(connection);
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET statement_timeout = " + LONGEST_MILLIS + "; SET lock_timeout = " + LOCK_MILLIS);
            return opened;
        } catch (SQLException e) {
            opened.close();
            throw e;
        }
    }

    /** Lets statements that read no rows of the table take longer in a session of {@link #open}. */
    public static void lengthen(DedicatedSession session) throws SQLException {
        limit(session, PATIENT_MILLIS);
    }

    /** Ends what {@link #lengthen} has begun. */
    public static void shorten(DedicatedSession session) throws SQLException {
        limit(session, LONGEST_MILLIS);
    }

    private static void limit(DedicatedSession session, int millis) throws SQLException {
        session.query(TIMEOUT, String.valueOf(millis)).close();
    }

    /** Ends the session; the next read opens another. */
    @Override
    public void close() {
        DedicatedSession open = session;
        session = null;
        if (open != null) open.close();
    }
}
