package dev.howdah.job.internal.node;

import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.node.NodeIdentity;
import dev.howdah.internal.sql.Sql;
import dev.howdah.job.internal.claim.ConcurrencyLimits.Limit;
import dev.howdah.job.internal.store.JobSql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The queues, kinds, slots, limits and version of a node in its row, for {@code howdah.why_job} and the console. */
final class ServedJobs {
    private static final Logger log = LoggerFactory.getLogger(ServedJobs.class);
    private static final Sql SERVES = JobSql.NODE.statement("job_serves");
    private static final Sql UNSERVED = JobSql.NODE.statement("schedule_list_unserved");

    private ServedJobs() {}

    /** Writes them once, before the node claims anything. */
    static void write(DedicatedSession session, NodeIdentity node, NodeConfig config, Set<String> kinds)
            throws SQLException {
        List<Limit> own = config.limits();
        session.update(
                SERVES,
                node.id(),
                node.incarnation(),
                sorted(config.queues()),
                sorted(kinds),
                config.concurrency(),
                own.stream().map(Limit::queue).toArray(String[]::new),
                own.stream().map(Limit::kind).toArray(String[]::new),
                own.stream().map(Limit::most).toArray(Integer[]::new),
                config.version());
        warnOfUnserved(session);
    }

    /** What was renamed or removed in the code stays in the database, and would add jobs that wait for ever. */
    private static void warnOfUnserved(DedicatedSession session) throws SQLException {
        try (ResultSet row = session.query(UNSERVED)) {
            while (row.next())
                log.warn(
                        "schedule \"{}\" adds jobs of kind {} to queue {}, which no node handles: remove the schedule, or give"
                                + " the kind of a handler its former name",
                        row.getString(1),
                        row.getString(2),
                        row.getString(3));
        }
    }

    private static String[] sorted(Set<String> names) {
        return names.stream().sorted().toArray(String[]::new);
    }
}
