package dev.howdah.job.internal.node;

import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.node.NodeIdentity;
import dev.howdah.internal.sql.Sql;
import dev.howdah.job.internal.claim.ConcurrencyLimits.Limit;
import dev.howdah.job.internal.store.JobSql;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;

/** The queues, kinds, slots, limits and version of a node in its row, for {@code howdah.why_job} and the console. */
final class ServedJobs {
    private static final Sql SERVES = JobSql.NODE.statement("job_serves");

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
                ServedJobs.class.getPackage().getImplementationVersion());
    }

    private static String[] sorted(Set<String> names) {
        return names.stream().sorted().toArray(String[]::new);
    }
}
