package dev.howdah.process.internal.client;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.sql.Sql;
import dev.howdah.process.Namespace;
import dev.howdah.process.ProcessException;
import dev.howdah.process.internal.step.NamespaceSlots;
import dev.howdah.process.internal.step.ProcessMetrics;
import dev.howdah.process.internal.store.ProcessSql;
import dev.howdah.spi.PayloadCodec;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The namespaces of the database; they are made by the nodes that run them, and never removed. Safe for use by many threads. */
public final class NamespaceRegistry {
    private static final Sql ALL = ProcessSql.READ.statement("namespace_list");
    private static final Sql MAKE = ProcessSql.READ.statement("namespace_make");
    private static final Sql TELLS = ProcessSql.READ.statement("namespace_tell");

    private final ConnectionSource source;
    private final Map<String, Integer> known = new ConcurrentHashMap<>();

    public NamespaceRegistry(ConnectionSource source) {
        this.source = source;
    }

    /** Makes those that are missing. */
    public List<NamespaceSlots> serve(
            Connection connection, Collection<Namespace> namespaces, PayloadCodec codec, ProcessMetrics meters)
            throws SQLException {
        refresh(connection);
        for (Namespace each : namespaces) {
            if (!known.containsKey(each.name())) update(MAKE.prepare(connection, each.name()));
            // A program that only sends requests has no publisher, and does not know whether others have one.
            if (each.outbox() || each.concurrency() > 0) update(TELLS.prepare(connection, each.name(), each.outbox()));
        }
        refresh(connection);
        List<NamespaceSlots> served = new ArrayList<>();
        for (Namespace each : namespaces)
            served.add(new NamespaceSlots(known.getOrDefault(each.name(), 0), each, codec, meters.of(each.name())));
        return served;
    }

    private static void update(PreparedStatement prepared) throws SQLException {
        try (PreparedStatement statement = prepared) {
            statement.executeUpdate();
        }
    }

    private void refresh(Connection connection) throws SQLException {
        try (PreparedStatement statement = ALL.prepare(connection);
                ResultSet row = statement.executeQuery()) {
            while (row.next()) known.put(row.getString(2), row.getInt(1));
        }
    }

    /**
     * Its number.
     *
     * @throws ProcessException if there is no such namespace
     */
    public int find(String name) throws SQLException {
        Integer id = known.get(name);
        if (id == null) {
            try (Connection connection = source.getConnection()) {
                refresh(connection);
            }
            id = known.get(name);
        }
        if (id == null) throw new ProcessException(ProcessException.Reason.NAMESPACE_NOT_FOUND);
        return id;
    }

    /** What is written differently by whom does not change this: 60 seconds unless the namespace is worked here. */
    static @Nullable Namespace of(Collection<NamespaceSlots> served, int id) {
        for (NamespaceSlots each : served) if (each.id() == id) return each.namespace();
        return null;
    }
}
