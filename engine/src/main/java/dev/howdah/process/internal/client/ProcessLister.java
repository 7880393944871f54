package dev.howdah.process.internal.client;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.run.SeenIds;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.process.ProcessStatus;
import dev.howdah.process.internal.store.ProcessRows;
import dev.howdah.process.internal.store.ProcessSql;
import dev.howdah.process.query.ProcessEvent;
import dev.howdah.process.query.ProcessEvents;
import dev.howdah.process.query.ProcessOrder;
import dev.howdah.process.query.ProcessPage;
import dev.howdah.process.query.ProcessQuery;
import dev.howdah.process.query.ProcessSummary;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Lists processes page by page. Safe for use by many threads. */
public final class ProcessLister {
    private static final SqlFile ASCENDING = ProcessSql.READ;
    private static final SqlFile DESCENDING = ProcessSql.READ.with(Map.of(
            "way", "DESC",
            "past", "<",
            "after", "p.id < $3",
            "broken", "p.id < $2",
            "from", "q.id < $3",
            "bound", "q.id < $2"));
    /** From the last id on: there is none that is greater than all. */
    private static final SqlFile LAST = ProcessSql.READ.with(Map.of(
            "way", "DESC",
            "after", "$3::text = ''",
            "broken", "$2::text = ''",
            "from", "$3::text = ''",
            "bound", "$2::text = ''"));

    private final ConnectionSource source;

    public ProcessLister(ConnectionSource source) {
        this.source = source;
    }

    /** @param bounded whether it ends after so many processes as a page looks at */
    public ProcessPage list(int namespace, ProcessQuery query, boolean bounded) throws SQLException {
        boolean started = query.order() == ProcessOrder.NEWEST || query.order() == ProcessOrder.OLDEST;
        SqlFile sql = statements(query, started);
        List<ProcessSummary> found = new ArrayList<>();
        String first = null;
        String last = "";
        try (Connection connection = source.getConnection()) {
            try (PreparedStatement statement = prepare(connection, sql, namespace, query, started, bounded);
                    ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    found.add(summary(row, 0));
                    last = row.getString(started ? 10 : 1);
                    if (first == null) first = last;
                }
            }
            if (found.size() == query.limit()) return new ProcessPage(found, query.after(last), first, false);
            String bound = bounded ? bound(connection, sql, namespace, query, started) : null;
            return new ProcessPage(found, bound == null ? null : query.after(bound), first, bound != null);
        }
    }

    /** Those that have become something else are read again at the next look, the latest of them for the longest. */
    public ProcessEvents events(@Nullable ProcessEvents before, int most) throws SQLException {
        List<ProcessEvent> found = new ArrayList<>();
        Set<Long> watched = new LinkedHashSet<>(before == null ? List.of() : before.watched());
        SeenIds seen = SeenIds.read(before == null ? null : before.seen());
        SeenIds now = null;
        Long[] none = {};
        Set<ProcessEvent> known = before == null ? Set.of() : new HashSet<>(before.processes());
        int added = 0;
        try (Connection connection = source.getConnection();
                PreparedStatement statement = ProcessSql.READ
                        .statement("process_watch")
                        .prepare(
                                connection,
                                seen == null ? none : seen.numbers(),
                                seen == null ? none : seen.floors(),
                                seen == null ? null : seen.snapshot(),
                                watched.toArray(Long[]::new),
                                most + 1);
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                if (now == null)
                    now = SeenIds.after(seen, row.getString("seen"), row.getLong("millis"), row.getLong("last"));
                String namespace = row.getString(1);
                if (namespace == null) continue;
                long number = row.getLong(11);
                if (seen != null && number > seen.highest() && ++added > most) continue;
                ProcessEvent event = new ProcessEvent(namespace, summary(row, 1));
                found.add(event);
                if (known.contains(event)) continue;
                watched.remove(number);
                watched.add(number);
            }
        }
        return new ProcessEvents(
                found, added > most, Objects.requireNonNull(now).text(), List.copyOf(watched));
    }

    private static SqlFile statements(ProcessQuery query, boolean started) {
        return switch (query.order()) {
            case ID, OLDEST -> ASCENDING;
            case REVERSE_ID, NEWEST -> started || !query.after().isEmpty() ? DESCENDING : LAST;
        };
    }

    private static boolean isBroken(ProcessQuery query) {
        return query.status() == ProcessStatus.ERROR && query.prefix().isEmpty();
    }

    private static long number(ProcessQuery query) {
        if (!query.after().isEmpty()) return Long.parseLong(query.after());
        return query.order() == ProcessOrder.NEWEST ? Long.MAX_VALUE : 0;
    }

    private static PreparedStatement prepare(
            Connection connection, SqlFile sql, int namespace, ProcessQuery query, boolean started, boolean bounded)
            throws SQLException {
        ProcessStatus only = query.status();
        String status = only == null ? null : only.text();
        long limit = query.limit();
        long looked = ProcessQuery.SEARCHED;
        if (started)
            return sql.statement("process_list_started")
                    .prepare(connection, namespace, status, number(query), query.prefix(), looked, limit);
        if (isBroken(query))
            return sql.statement("process_list_broken").prepare(connection, namespace, query.after(), limit);
        if (query.prefix().isEmpty() && (status == null || !bounded))
            return sql.statement("process_list").prepare(connection, namespace, status, query.after(), limit);
        return sql.statement("process_list_prefix")
                .prepare(connection, namespace, status, query.after(), query.prefix(), looked, limit);
    }

    /** Where a page has ended that has looked at as many processes as it may; null: it has looked at all that there are. */
    private static @Nullable String bound(
            Connection connection, SqlFile sql, int namespace, ProcessQuery query, boolean started)
            throws SQLException {
        if (!started && (isBroken(query) || query.prefix().isEmpty() && query.status() == null)) return null;
        long looked = ProcessQuery.SEARCHED;
        Sql bound = sql.statement(started ? "process_bound_started" : "process_bound");
        try (PreparedStatement statement = started
                        ? bound.prepare(connection, number(query), looked)
                        : bound.prepare(connection, namespace, query.after(), query.prefix(), looked);
                ResultSet row = statement.executeQuery()) {
            return row.next() ? row.getString(1) : null;
        }
    }

    private static ProcessSummary summary(ResultSet row, int before) throws SQLException {
        return new ProcessSummary(
                row.getString(before + 1),
                ProcessStatus.of(row.getString(before + 2)),
                ProcessStatus.of(row.getString(before + 3)),
                ProcessRows.time(row, before + 4),
                ProcessRows.time(row, before + 5),
                row.getString(before + 6),
                row.getLong(before + 7),
                row.getInt(before + 8),
                ProcessRows.timeOrNull(row, before + 9));
    }
}
