package dev.howdah.benchmarks;

import dev.howdah.Database;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Another session that inserts so many tasks a second, one by one, in ten groups, until it is closed. */
final class SteadyLoad implements AutoCloseable {
    private final CompletableFuture<Integer> inserted = new CompletableFuture<>();
    private final int perSecond;
    private volatile boolean enough;

    private SteadyLoad(int perSecond) {
        this.perSecond = perSecond;
    }

    static SteadyLoad begin(Database database, int perSecond) {
        SteadyLoad load = new SteadyLoad(perSecond);
        new Thread(() -> {
                    try (Connection connection = database.connect()) {
                        load.inserted.complete(load.insert(connection));
                    } catch (SQLException e) {
                        load.inserted.completeExceptionally(e);
                    }
                })
                .start();
        return load;
    }

    /** At fixed times, late ones at once. */
    private int insert(Connection connection) throws SQLException {
        long begun = System.nanoTime();
        int count = 0;
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO task (\"group\", max, input) VALUES ('load' || ?::integer % 10, 1, 'SELECT 1')")) {
            while (!enough) {
                long due = begun + count * 1_000_000_000L / perSecond;
                Bench.pause(Duration.ofNanos(Math.max(due - System.nanoTime(), 0)));
                insert.setInt(1, count++);
                insert.execute();
            }
        }
        return count;
    }

    /** Ends it; says how many there were. */
    int end() throws Exception {
        enough = true;
        return inserted.get();
    }

    @Override
    public void close() {
        enough = true;
    }
}
