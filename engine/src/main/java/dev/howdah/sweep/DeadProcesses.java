package dev.howdah.sweep;

import dev.howdah.internal.sql.KeptSession;
import dev.howdah.internal.sql.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends what is left of processes of a sweep that have died or hang (S8): sessions of their workers, which may still hold locks.
 *
 * @param sweep whose processes
 */
record DeadProcesses(int sweep) {
    private static final Logger log = LoggerFactory.getLogger(DeadProcesses.class);
    private static final Sql DEAD = Target.BOOK.statement("dead");
    private static final Sql SILENT = Target.BOOK.statement("silent");
    private static final Sql LOSE = Target.BOOK.statement("lose");
    private static final Sql LEAVE = Target.BOOK.statement("leave");
    private static final String NO_RIGHT = "42501";
    private static final int ENDS_SILENCE_SINCE = 14;

    /** @param process the one that asks */
    void bury(KeptSession session, int process) throws SQLException {
        if (session.connection().getMetaData().getDatabaseMajorVersion() < ENDS_SILENCE_SINCE)
            try (ResultSet row = session.query(SILENT)) {
                row.next();
            }
        List<Integer> gone = new ArrayList<>();
        try (ResultSet row = session.query(DEAD, process, sweep)) {
            while (row.next()) if (row.getInt(2) == 0) gone.add(row.getInt(1));
        } catch (SQLException e) {
            if (!NO_RIGHT.equals(e.getSQLState())) throw e;
            log.warn("sessions of a process that has died cannot be ended: {}", Failures.text(e));
        }
        for (int each : gone) {
            session.update(LOSE, sweep);
            session.update(LEAVE, each);
            log.info("process {} of sweep {} has died; its rows are taken by others", each, sweep);
        }
    }
}
