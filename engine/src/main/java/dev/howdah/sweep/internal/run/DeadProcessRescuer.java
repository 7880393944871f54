package dev.howdah.sweep.internal.run;

import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.node.DeathWatch;
import dev.howdah.internal.node.ForeignLocks;
import dev.howdah.internal.node.NodePresence;
import dev.howdah.internal.sql.AdvisoryLock;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlErrors;
import dev.howdah.sweep.internal.store.SweepSql;
import dev.howdah.sweep.internal.store.SweepSqlErrors;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends what is left of processes of a sweep that have died or hang: sessions of their workers, which may still hold locks. For
 * one thread at a time.
 */
final class DeadProcessRescuer {
    private static final Logger log = LoggerFactory.getLogger(DeadProcessRescuer.class);
    private static final Sql FREE = SweepSql.SWEEP.statement("sweep_free");
    private static final Sql END_WORKERS = SweepSql.SWEEP.statement("sweep_end_workers");
    private static final Sql LEAVE = SweepSql.SWEEP.statement("sweep_leave");
    private static final Map<AdvisoryLock, String> LOCKS = Map.of(
            AdvisoryLock.SWEEP_PROCESS,
            "howdah_internal.sweep_process",
            AdvisoryLock.SWEEP_STAMPS,
            "howdah_internal.sweep_process");
    private static final int FOREIGN_EVERY = 3;

    private final int sweep;
    private final DeathWatch deaths = new DeathWatch();
    private final ForeignLocks foreignLocks = new ForeignLocks(AdvisoryLock.SWEEP_PROCESS);
    private int looks;

    /** @param sweep whose processes */
    DeadProcessRescuer(int sweep) {
        this.sweep = sweep;
    }

    /**
     * Looks begin in a new session.
     *
     * @param again whether an earlier one was lost
     */
    void begin(DedicatedSession session, boolean again) throws SQLException {
        deaths.begin(session, again);
    }

    /** @param process the one that asks */
    void rescue(DedicatedSession session, int process) throws SQLException {
        NodePresence.endSilent(session, AdvisoryLock.SWEEP_PROCESS, AdvisoryLock.SWEEP_STAMPS);
        Set<Integer> dead = new HashSet<>(deaths.dead(free(session, process)));
        if (looks++ % FOREIGN_EVERY == 0) dead.addAll(foreignLocks.look(session, LOCKS));
        if (dead.isEmpty()) return;
        List<Integer> gone = new ArrayList<>();
        try (ResultSet row = session.query(END_WORKERS, (Object) dead.toArray(Integer[]::new))) {
            while (row.next()) if (row.getInt(2) == 0) gone.add(row.getInt(1));
        } catch (SQLException e) {
            if (!SqlErrors.isInsufficientPrivilege(e)) throw e;
            log.warn("sessions of a crashed process cannot be ended: {}", SweepSqlErrors.text(e));
        }
        for (int each : gone) {
            session.update(LEAVE, each);
            log.info("process {} of sweep {} crashed; other processes take its rows", each, sweep);
        }
    }

    /** A process that comes back has another id: none comes back under its own. */
    private Map<Integer, Integer> free(DedicatedSession session, int process) throws SQLException {
        Map<Integer, Integer> free = new HashMap<>();
        try (ResultSet row = session.query(FREE, process, sweep)) {
            while (row.next()) free.put(row.getInt(1), 0);
        }
        return free;
    }
}
