package dev.howdah.process.internal.request;

import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.sql.Sql;
import dev.howdah.process.HistoryRange;
import dev.howdah.process.TaskType;
import dev.howdah.process.internal.store.ProcessSql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes requests, many in one statement. */
public final class RequestStore {
    private static final Sql INIT = ProcessSql.REQUEST.statement("request_init", InitParameters.class);
    private static final Sql ENTER = ProcessSql.REQUEST.statement("request_enter", EnterParameters.class);

    /** New processes. */
    private record InitParameters(
            int node,
            Integer[] namespaces,
            String[] ids,
            byte[][] args,
            byte[][] contexts,
            @Nullable Boolean[] backward,
            @Nullable Long[] offsets,
            @Nullable Long[] limits,
            @Nullable String[] keys,
            Boolean[] mine,
            @Nullable String[] traces,
            Long[] tokens) {}

    /** Requests to processes that there are. */
    private record EnterParameters(
            int node,
            Integer[] namespaces,
            String[] ids,
            byte[][] args,
            byte[][] contexts,
            @Nullable Boolean[] backward,
            @Nullable Long[] offsets,
            @Nullable Long[] limits,
            @Nullable String[] keys,
            Boolean[] mine,
            String[] types,
            Boolean[] waits,
            @Nullable String[] traces,
            Long[] tokens) {}

    private RequestStore() {}

    /**
     * The place of a request that was written.
     *
     * @param taken whether this node has taken its process, to carry it out at once
     */
    public record Accepted(long process, long task, boolean taken) {}

    /**
     * Writes requests that are all for new processes, or all for others, at most one for each process. Those that are not in the answer were
     * not accepted.
     *
     * @param take which of them this node may take
     */
    public static Map<PendingRequest, Accepted> write(
            DedicatedSession session, int node, List<PendingRequest> entries, Boolean[] take) throws SQLException {
        boolean init = entries.get(0).type() == TaskType.INIT;
        long began = System.nanoTime();
        try (ResultSet row = session.query(init ? INIT : ENTER, values(node, entries, take, init))) {
            return accepted(row, entries);
        } finally {
            long nanos = System.nanoTime() - began;
            for (PendingRequest each : entries) each.meter().prepared(each.type(), nanos);
        }
    }

    /** Writes one that this node does not take, in a transaction of the caller's; null: it was not accepted. */
    static @Nullable public Accepted write(Connection connection, int node, PendingRequest entry) throws SQLException {
        boolean init = entry.type() == TaskType.INIT;
        List<PendingRequest> one = List.of(entry);
        try (PreparedStatement statement =
                        (init ? INIT : ENTER).prepare(connection, values(node, one, new Boolean[] {false}, init));
                ResultSet row = statement.executeQuery()) {
            return accepted(row, one).get(entry);
        }
    }

    private static Map<PendingRequest, Accepted> accepted(ResultSet row, List<PendingRequest> entries)
            throws SQLException {
        Map<PendingRequest, Accepted> accepted = new HashMap<>();
        while (row.next())
            accepted.put(
                    entries.get((int) row.getLong(1) - 1),
                    new Accepted(row.getLong(2), row.getLong(3), row.getBoolean(4)));
        return accepted;
    }

    private static Record values(int node, List<PendingRequest> entries, Boolean[] take, boolean init) {
        int size = entries.size();
        Integer[] namespaces = new Integer[size];
        String[] ids = new String[size];
        byte[][] args = new byte[size][];
        byte[][] contexts = new byte[size][];
        @Nullable Boolean[] backward = new @Nullable Boolean[size];
        @Nullable Long[] offsets = new @Nullable Long[size];
        @Nullable Long[] limits = new @Nullable Long[size];
        @Nullable String[] keys = new @Nullable String[size];
        String[] types = new String[size];
        Boolean[] waits = new Boolean[size];
        @Nullable String[] traces = new @Nullable String[size];
        Long[] tokens = new Long[size];
        for (int i = 0; i < size; i++) {
            PendingRequest entry = entries.get(i);
            HistoryRange range = entry.request().range();
            namespaces[i] = entry.namespace();
            ids[i] = entry.request().id();
            args[i] = entry.args();
            contexts[i] = entry.context();
            backward[i] = range == null ? null : range.backward();
            offsets[i] = range == null ? null : range.offset();
            limits[i] = range == null ? null : range.limit();
            keys[i] = entry.request().key();
            types[i] = entry.type().text();
            waits[i] = entry.waits();
            traces[i] = entry.trace();
            tokens[i] = entry.token();
        }
        return init
                ? new InitParameters(
                        node, namespaces, ids, args, contexts, backward, offsets, limits, keys, take, traces, tokens)
                : new EnterParameters(
                        node,
                        namespaces,
                        ids,
                        args,
                        contexts,
                        backward,
                        offsets,
                        limits,
                        keys,
                        take,
                        types,
                        waits,
                        traces,
                        tokens);
    }
}
