package dev.howdah.benchmarks.faults;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Pauses queues and kinds, and knows from when to when no node took from them. */
final class Pauses {
    /** A claim that saw the queue before it was paused may take so long. */
    private static final String GRACE = "1500 ms";

    /** @param kind null: the whole queue */
    private record Pause(String queue, @Nullable String kind, String from, String to) {}

    private final List<Pause> all = new ArrayList<>();

    void pause(DataSource source, String queue, @Nullable String kind, int millis) throws SQLException {
        ask(source, "SELECT howdah.pause(?, ?)", queue, kind);
        String from = ask(source, "SELECT (clock_timestamp() + ?::interval)::text", GRACE);
        LockSupport.parkNanos(Duration.ofMillis(millis).toNanos());
        String to = ask(source, "SELECT clock_timestamp()::text");
        ask(source, "SELECT howdah.resume(?, ?)", queue, kind);
        all.add(new Pause(queue, kind, from, to));
    }

    /** How many were long enough to say something about them. */
    int count() {
        return (int) all.stream()
                .filter(each -> each.from().compareTo(each.to()) < 0)
                .count();
    }

    /** What was taken in spite of a pause, and begun; a node that takes a job of a paused kind puts it back. */
    List<String> complaints(DataSource source) throws SQLException {
        List<String> complaints = new ArrayList<>();
        for (Pause each : all) {
            String taken = ask(
                    source,
                    "SELECT count(*)::text FROM howdah.taken t WHERE t.queue = ? AND t.letter <> 'u' AND (?::text IS NULL OR t.kind = ?)"
                            + " AND t.taken >= ?::timestamptz AND t.taken < ?::timestamptz",
                    each.queue(),
                    each.kind(),
                    each.kind(),
                    each.from(),
                    each.to());
            if (!taken.equals("0")) complaints.add(taken + " jobs were taken in spite of " + each);
        }
        return complaints;
    }

    private static String ask(DataSource source, String sql, @Nullable String... values) throws SQLException {
        try (Connection connection = source.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) statement.setString(i + 1, values[i]);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getString(1);
            }
        }
    }
}
