package dev.howdah.process.internal.client;

import dev.howdah.health.Cause;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.health.CauseRows;
import dev.howdah.internal.sql.Sql;
import dev.howdah.process.Event;
import dev.howdah.process.HistoryRange;
import dev.howdah.process.NewEvent;
import dev.howdah.process.Payload;
import dev.howdah.process.ProcessImport;
import dev.howdah.process.ProcessState;
import dev.howdah.process.ProcessStatus;
import dev.howdah.process.TaskType;
import dev.howdah.process.internal.step.NewEvents;
import dev.howdah.process.internal.step.StepEvaluator;
import dev.howdah.process.internal.step.StepResult;
import dev.howdah.process.internal.store.ProcessPayloads;
import dev.howdah.process.internal.store.ProcessRows;
import dev.howdah.process.internal.store.ProcessSql;
import dev.howdah.process.query.NamespaceSummary;
import dev.howdah.process.query.PendingTimer;
import dev.howdah.process.query.ProcessEvents;
import dev.howdah.process.query.ProcessPage;
import dev.howdah.process.query.ProcessQuery;
import dev.howdah.process.query.TaskStatus;
import dev.howdah.process.query.TraceEntry;
import dev.howdah.spi.PayloadCodec;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The queries about processes, and their import. Safe for use by many threads. */
public final class ProcessQueries {
    private static final Sql PROCESS = ProcessSql.READ.statement("process_get");
    private static final Sql TRACE = ProcessSql.READ.statement("trace_read");
    private static final Sql TRACE_EVENTS = ProcessSql.READ.statement("trace_events");
    private static final Sql TIMERS = ProcessSql.READ.statement("timer_list");
    private static final Sql NAMESPACES = ProcessSql.READ.statement("namespace_overview");
    private static final Sql HEALTH = ProcessSql.READ.statement("process_health");
    private static final Sql WHY = ProcessSql.READ.statement("process_why");
    private static final Sql PUT = ProcessSql.REQUEST.statement("request_put", ImportParameters.class);

    private final ConnectionSource source;
    private final PayloadCodec codec;
    private final ProcessLister lister;

    public ProcessQueries(ConnectionSource source, PayloadCodec codec) {
        this.source = source;
        this.codec = codec;
        this.lister = new ProcessLister(source);
    }

    /** Null: there is none. */
    @Nullable
    public ProcessState get(int namespace, String name, String id, HistoryRange range) throws SQLException {
        try (Connection connection = source.getConnection();
                PreparedStatement statement =
                        PROCESS.prepare(connection, namespace, id, range.offset(), range.limit(), range.backward());
                ResultSet row = statement.executeQuery()) {
            List<Event> history = new ArrayList<>();
            ProcessState found = null;
            while (row.next()) {
                if (ProcessRows.longOrNull(row, 12) != null) history.add(ProcessRows.event(row, 12, codec));
                if (found == null) found = state(row, name, id, range, history);
            }
            return found == null ? null : withHistory(found, history);
        }
    }

    /** The causes why a process does nothing. */
    public List<Cause> why(String namespace, String id) throws SQLException {
        try (Connection connection = source.getConnection();
                PreparedStatement statement = WHY.prepare(connection, namespace, id);
                ResultSet row = statement.executeQuery()) {
            List<Cause> causes = new ArrayList<>();
            while (row.next()) causes.add(CauseRows.cause(row));
            return causes;
        }
    }

    private ProcessState state(ResultSet row, String namespace, String id, HistoryRange range, List<Event> history)
            throws SQLException {
        return new ProcessState(
                namespace,
                id,
                ProcessStatus.of(row.getString(2)),
                ProcessStatus.of(row.getString(3)),
                ProcessRows.time(row, 4),
                ProcessRows.time(row, 5),
                row.getString(6),
                ProcessRows.longOrNull(row, 7),
                ProcessRows.bytes(row, 9, codec),
                ProcessRows.json(row, 10, codec),
                history,
                row.getLong(8),
                range,
                ProcessRows.timeOrNull(row, 11));
    }

    /**
     * Empty: there is no such process.
     *
     * @param newest how many, without their events; null: all
     */
    public List<TraceEntry> trace(int namespace, String id, @Nullable Integer newest) throws SQLException {
        try (Connection connection = source.getConnection()) {
            Map<Long, List<Event>> events = new HashMap<>();
            if (newest == null)
                try (PreparedStatement statement = TRACE_EVENTS.prepare(connection, namespace, id);
                        ResultSet row = statement.executeQuery()) {
                    while (row.next()) {
                        Event event = ProcessRows.event(row, 1, codec);
                        events.computeIfAbsent(event.task(), task -> new ArrayList<>())
                                .add(event);
                    }
                }
            List<TraceEntry> units = new ArrayList<>();
            Long most = newest == null ? null : newest.longValue();
            try (PreparedStatement statement = TRACE.prepare(connection, namespace, id, most);
                    ResultSet row = statement.executeQuery()) {
                while (row.next()) units.add(unit(row, events.getOrDefault(row.getLong(1), List.of())));
            }
            return units;
        }
    }

    private TraceEntry unit(ResultSet row, List<Event> events) throws SQLException {
        byte[] response = row.getBytes(10);
        return new TraceEntry(
                row.getLong(1),
                TaskType.of(row.getString(2)),
                TaskStatus.of(row.getString(3)),
                ProcessRows.time(row, 4),
                ProcessRows.timeOrNull(row, 5),
                ProcessRows.timeOrNull(row, 6),
                ProcessRows.bytes(row, 7, codec),
                ProcessRows.bytes(row, 8, codec),
                ProcessRows.range(row, 14, null),
                row.getString(9),
                response == null ? null : Payload.of(response, codec),
                row.getString(11),
                Duration.ofNanos(row.getLong(12) * 1000),
                row.getInt(13),
                List.copyOf(events));
    }

    /** See {@link ProcessLister#list}. */
    public ProcessPage list(int namespace, ProcessQuery query, boolean bounded) throws SQLException {
        return lister.list(namespace, query, bounded);
    }

    /** See {@link ProcessLister#events}. */
    public ProcessEvents events(@Nullable ProcessEvents before, int most) throws SQLException {
        return lister.events(before, most);
    }

    public List<PendingTimer> timers(int namespace, int limit) throws SQLException {
        List<PendingTimer> found = new ArrayList<>();
        try (Connection connection = source.getConnection();
                PreparedStatement statement = TIMERS.prepare(connection, namespace, (long) limit);
                ResultSet row = statement.executeQuery()) {
            while (row.next())
                found.add(new PendingTimer(
                        row.getString(1), row.getString(2).equals("remove"), ProcessRows.time(row, 3), row.getInt(4)));
        }
        return found;
    }

    public List<NamespaceSummary> namespaces() throws SQLException {
        List<NamespaceSummary> found = new ArrayList<>();
        try (Connection connection = source.getConnection();
                PreparedStatement statement = NAMESPACES.prepare(connection, NamespaceSummary.COUNTED + 1);
                ResultSet row = statement.executeQuery()) {
            while (row.next())
                found.add(new NamespaceSummary(
                        row.getString(1),
                        row.getBoolean(2),
                        row.getLong(3),
                        row.getLong(4),
                        row.getLong(6),
                        row.getLong(7),
                        ProcessRows.timeOrNull(row, 5)));
        }
        return found;
    }

    public void health() throws SQLException {
        try (Connection connection = source.getConnection();
                PreparedStatement statement = HEALTH.prepare(connection);
                ResultSet row = statement.executeQuery()) {
            if (!row.next()) throw new SQLException("no answer");
        }
    }

    /** A process with its history and its timer, if it has one. */
    private record ImportParameters(
            int namespace,
            String id,
            String status,
            String previous,
            @Nullable String since,
            @Nullable String created,
            @Nullable String detail,
            byte @Nullable [] state,
            @Nullable String metadata,
            Long[] eventIds,
            @Nullable String[] eventTimes,
            byte[][] eventPayloads,
            @Nullable String[] eventMetadata,
            @Nullable String timerType,
            @Nullable String timerAt,
            long timerDelay) {}

    /** False: there is such a process. */
    public boolean put(int namespace, ProcessImport process) throws SQLException {
        NewEvents events = new NewEvents();
        List<StepResult.NewRow> rows = new ArrayList<>();
        for (NewEvent each : process.history()) {
            Long id = each.id();
            if (id != null) rows.add(StepEvaluator.row(id, each, codec));
        }
        events.add(0, 0, false, rows);
        StepResult.NewTimer timer = StepEvaluator.timer(process.timer());
        ProcessStatus previous = process.previousStatus();
        try (Connection connection = source.getConnection();
                PreparedStatement statement = PUT.prepare(
                        connection,
                        new ImportParameters(
                                namespace,
                                process.id(),
                                process.status().text(),
                                (previous == null ? process.status() : previous).text(),
                                NewEvents.time(process.statusChanged()),
                                NewEvents.time(process.created()),
                                process.detail(),
                                process.auxState() == null ? null : ProcessPayloads.encode(process.auxState(), codec),
                                StepEvaluator.json(process.metadata(), codec),
                                events.ids.toArray(Long[]::new),
                                events.times.toArray(String[]::new),
                                events.payloads.toArray(byte[][]::new),
                                events.metadata.toArray(String[]::new),
                                timer == null ? null : timer.type(),
                                timer == null ? null : NewEvents.time(timer.at()),
                                timer == null ? 0L : timer.delayMicros()));
                ResultSet row = statement.executeQuery()) {
            return row.next();
        }
    }

    private static ProcessState withHistory(ProcessState state, List<Event> events) {
        return new ProcessState(
                state.namespace(),
                state.id(),
                state.status(),
                state.previousStatus(),
                state.statusChanged(),
                state.created(),
                state.detail(),
                state.corruptedBy(),
                state.auxState(),
                state.metadata(),
                List.copyOf(events),
                state.lastEventId(),
                state.range(),
                state.timer());
    }
}
