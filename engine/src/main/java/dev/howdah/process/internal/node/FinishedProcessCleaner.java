package dev.howdah.process.internal.node;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.sql.Sql;
import dev.howdah.process.Namespace.Retention;
import dev.howdah.process.internal.step.NamespaceSlots;
import dev.howdah.process.internal.store.ProcessRows;
import dev.howdah.process.internal.store.ProcessSql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees to it that finished processes go when their time has come, and what is left of those that have gone; in small steps, each
 * a transaction. Any number of nodes may do so; one at a time does.
 */
public final class FinishedProcessCleaner implements Runnable {
    static final long PAUSE_SECONDS = 30;
    private static final Logger log = LoggerFactory.getLogger(FinishedProcessCleaner.class);
    private static final Sql LOCK = ProcessSql.HISTORY.statement("history_lock");
    private static final Sql RETIRE = ProcessSql.HISTORY.statement("history_retire");
    private static final Sql PURGE = ProcessSql.HISTORY.statement("history_purge");
    private static final Sql NOTICE = ProcessSql.HISTORY.statement("history_notice");
    private static final long RETIRED = 100;
    private static final long PURGED = 100;
    private static final long ROWS = 2_000;
    private static final long PAGE = 2_000;
    private static final long THOROUGH_NANOS = Duration.ofHours(6).toNanos();

    private final ConnectionSource source;
    private final List<NamespaceSlots> kept;
    private long noticed;
    private boolean hasNoticed;

    public FinishedProcessCleaner(ConnectionSource source, List<NamespaceSlots> served) {
        this.source = source;
        this.kept = served.stream()
                .filter(each -> each.namespace().retention() != null)
                .toList();
    }

    @Override
    public void run() {
        try {
            tidy();
        } catch (SQLException | RuntimeException e) {
            log.warn("finished processes will go another time: {}", e.getMessage());
        }
    }

    /** Does all there is to do. */
    public void tidy() throws SQLException {
        try (DedicatedSession session = new DedicatedSession(source.getConnection())) {
            if (number(session, LOCK) == null) return;
            if (!kept.isEmpty() && (!hasNoticed || System.nanoTime() - noticed > THOROUGH_NANOS)) {
                notice(session);
                hasNoticed = true;
                noticed = System.nanoTime();
            }
            for (NamespaceSlots each : kept) retire(session, each);
            while (purge(session)) log.debug("more is left of processes that have gone");
        }
    }

    private void notice(DedicatedSession session) throws SQLException {
        Integer[] namespaces = kept.stream().map(NamespaceSlots::id).toArray(Integer[]::new);
        Long last = 0L;
        while (last != null && !Thread.currentThread().isInterrupted())
            last = number(session, NOTICE, namespaces, last, PAGE);
    }

    private static void retire(DedicatedSession session, NamespaceSlots its) throws SQLException {
        Retention policy = its.namespace().retention();
        if (policy == null) return;
        long gone = 0;
        Long step = RETIRED;
        while (step != null && step >= RETIRED && !Thread.currentThread().isInterrupted()) {
            step = number(
                    session,
                    RETIRE,
                    its.id(),
                    policy.idle().toMillis(),
                    RETIRED,
                    policy.archive(),
                    its.namespace().outbox());
            gone += step == null ? 0 : step;
        }
        if (gone > 0)
            log.info(
                    "{} finished processes of {} are {}",
                    gone,
                    its.namespace().name(),
                    policy.archive() ? "in the archive" : "gone");
    }

    /** Returns whether there is more. */
    private static boolean purge(DedicatedSession session) throws SQLException {
        try (ResultSet row = session.query(PURGE, PURGED, ROWS)) {
            row.next();
            return (row.getLong(1) > 0 || row.getLong(2) > 0)
                    && !Thread.currentThread().isInterrupted();
        }
    }

    private static @Nullable Long number(DedicatedSession session, Sql sql, @Nullable Object... values)
            throws SQLException {
        try (ResultSet row = session.query(sql, values)) {
            return row.next() ? ProcessRows.longOrNull(row, 1) : null;
        }
    }
}
