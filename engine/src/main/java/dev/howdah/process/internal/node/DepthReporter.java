package dev.howdah.process.internal.node;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.sql.Sql;
import dev.howdah.process.internal.outbox.OutboxStore;
import dev.howdah.process.internal.step.NamespaceMetrics;
import dev.howdah.process.internal.step.NamespaceSlots;
import dev.howdah.process.internal.store.ProcessSql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reports from time to time how many processes and notices wait, and for how long, if metrics are wanted. */
public final class DepthReporter implements Runnable {
    static final long PAUSE_SECONDS = 15;
    private static final Logger log = LoggerFactory.getLogger(DepthReporter.class);
    private static final Sql DEPTH = ProcessSql.READ.statement("process_depth");
    private static final long MOST = 100_000;

    private final ConnectionSource source;
    private final Map<Integer, NamespaceMetrics> meters = new HashMap<>();
    /** Those of which others are told, by name. */
    private final Map<String, NamespaceMetrics> telling = new HashMap<>();

    public DepthReporter(ConnectionSource source, List<NamespaceSlots> served) {
        this.source = source;
        for (NamespaceSlots each : served) {
            meters.put(each.id(), each.meter());
            if (each.namespace().outbox()) telling.put(each.namespace().name(), each.meter());
        }
    }

    @Override
    public void run() {
        try (Connection connection = source.getConnection()) {
            processes(connection);
            if (telling.isEmpty()) return;
            OutboxStore.backlogs(connection, telling.keySet()).forEach((name, backlog) -> {
                NamespaceMetrics meter = telling.get(name);
                if (meter != null) meter.untold(backlog);
            });
        } catch (SQLException | RuntimeException e) {
            log.debug("how much waits is not known: {}", e.toString());
            // What was last known of an outage would be read as what is.
            meters.values().forEach(NamespaceMetrics::unknown);
        }
    }

    private void processes(Connection connection) throws SQLException {
        try (PreparedStatement statement =
                        DEPTH.prepare(connection, meters.keySet().toArray(Integer[]::new), MOST);
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                NamespaceMetrics meter = meters.get(row.getInt(1));
                if (meter != null)
                    meter.waiting(
                            NamespaceMetrics.LANES.get(row.getInt(2) == 0 ? 0 : 1), row.getLong(3), row.getDouble(4));
            }
        }
    }
}
