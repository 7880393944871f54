package dev.howdah.benchmarks.process;

import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.Processes;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import javax.sql.DataSource;

/** How soon a call begins that waits behind a running step of its process, once that ends. */
final class Queued {
    private final DataSource source;
    private final Semaphore go = new Semaphore(0);
    private volatile long ended;
    private volatile long began;

    Queued(DataSource source) {
        this.source = source;
    }

    /**
     * Milliseconds from the end of one step's processor to the beginning of the next one's, so many times.
     *
     * @param elsewhere whether the calls are asked through another node, which works nothing
     */
    double[] run(int calls, boolean elsewhere) throws Exception {
        String name = "queued " + System.nanoTime();
        Namespace namespace = Namespace.of(name, (task, process) -> {
            began = System.nanoTime();
            if (task.args().size() > 0 && task.args().as(String.class).equals("long")) {
                go.acquire();
                ended = System.nanoTime();
            }
            return Intent.none().event("called");
        });
        ExecutorService callers = Executors.newFixedThreadPool(2);
        try (Processes worker = Processes.on(source).namespace(namespace).start();
                Processes other = Processes.on(source).start();
                Connection connection = source.getConnection()) {
            Processes asked = elsewhere ? other : worker;
            asked.init(name, "p", null);
            double[] millis = new double[calls];
            for (int i = 0; i < calls; i++) {
                CompletableFuture<?> first = CompletableFuture.runAsync(() -> asked.call(name, "p", "long"), callers);
                awaitQueued(connection, name, 1);
                CompletableFuture<?> second = CompletableFuture.runAsync(() -> asked.call(name, "p", "next"), callers);
                awaitQueued(connection, name, 2);
                go.release();
                first.join();
                second.join();
                millis[i] = (began - ended) / 1e6;
            }
            return millis;
        } finally {
            callers.shutdown();
        }
    }

    private static void awaitQueued(Connection connection, String name, int queued) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT p.queued FROM howdah_internal.process p JOIN howdah_internal.process_namespace n"
                        + " ON n.id = p.namespace WHERE n.name = ?")) {
            statement.setString(1, name);
            int now = -1;
            while (now != queued)
                try (ResultSet row = statement.executeQuery()) {
                    now = row.next() ? row.getInt(1) : -1;
                }
        }
    }
}
