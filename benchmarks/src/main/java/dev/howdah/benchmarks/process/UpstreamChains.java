package dev.howdah.benchmarks.process;

import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.postgresql.PGConnection;

/** Chains of immediate steps, worked by eight connections with upstream's statements on upstream's tables. */
final class UpstreamChains {
    private static final SqlFile SQL = SqlFile.of(UpstreamChains.class, "upstream.sql");
    private static final int CLIENTS = 8;
    private static final int LONGEST = 1_000;

    private final DataSource source;
    private final boolean oneStatement;

    /** @param oneStatement whether a step is one prepared statement; else each of its statements is parsed each time, as upstream does */
    UpstreamChains(DataSource source, boolean oneStatement) {
        this.source = source;
        this.oneStatement = oneStatement;
    }

    static void makeTables(DataSource source) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(SQL.text("tables"));
        }
    }

    /** Steps per second, while steps are done for so long. */
    double run(int processes, long nanos) throws Exception {
        ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
        try {
            List<Callable<Long>> works = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) works.add(() -> work(processes / CLIENTS + 1, nanos));
            long began = System.nanoTime();
            long steps = 0;
            for (Future<Long> each : clients.invokeAll(works)) steps += each.get();
            return steps / ((System.nanoTime() - began) / 1e9);
        } finally {
            clients.shutdownNow();
        }
    }

    private long work(int processes, long nanos) throws SQLException {
        try (Connection connection = source.getConnection()) {
            connection.unwrap(PGConnection.class).setPrepareThreshold(oneStatement ? 1 : 0);
            String prefix = Thread.currentThread().getName() + System.nanoTime() + "-";
            String[] ids = new String[processes];
            long[] tasks = new long[processes];
            int[] events = new int[processes];
            for (int i = 0; i < processes; i++) {
                ids[i] = prefix + i;
                tasks[i] = one(connection, SQL.statement("process"), ids[i]);
            }
            connection.setAutoCommit(oneStatement);
            long steps = 0;
            byte[] payload = new byte[Chains.PAYLOAD];
            for (long until = System.nanoTime() + nanos; System.nanoTime() - until < 0; steps++) {
                int i = (int) (steps % processes);
                if (++events[i] > LONGEST) throw new IllegalStateException("more than " + LONGEST + " events");
                tasks[i] = oneStatement
                        ? one(connection, SQL.statement("step"), ids[i], tasks[i], events[i], payload)
                        : step(connection, ids[i], tasks[i], events[i], payload);
            }
            return steps;
        }
    }

    private static long step(Connection connection, String id, long task, int event, byte[] payload)
            throws SQLException {
        run(connection, SQL.statement("event"), id, task, event, payload);
        run(connection, SQL.statement("cancel"), id);
        long next = one(connection, SQL.statement("next"), id);
        run(connection, SQL.statement("complete"), id, task);
        run(connection, SQL.statement("calls"), id);
        one(connection, SQL.statement("run"), id, next);
        connection.commit();
        return next;
    }

    private static void run(Connection connection, Sql sql, Object... values) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, values)) {
            statement.execute();
        }
    }

    private static long one(Connection connection, Sql sql, Object... values) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, values);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getLong(1);
        }
    }
}
