package dev.howdah.process.internal.node;

import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.node.ClaimRecovery;
import dev.howdah.internal.sql.Sql;
import dev.howdah.process.internal.step.NamespaceSlots;
import dev.howdah.process.internal.store.ProcessSql;
import dev.howdah.process.internal.worker.StepRunner;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the processes of a dead node due again. */
final class ProcessRecovery implements ClaimRecovery {
    private static final Logger log = LoggerFactory.getLogger(ProcessRecovery.class);
    private static final Sql RESCUE = ProcessSql.NODE.statement("process_rescue");
    private static final Sql RING = ProcessSql.STEP.statement("step_ring");
    private static final int MOST = 500;

    private final StepRunner stepRunner;
    private final int dead;
    /** How many processes of each. */
    private final Map<Integer, Integer> namespaces = new LinkedHashMap<>();

    /** @param stepRunner the one that recovers */
    ProcessRecovery(StepRunner stepRunner, int dead) {
        this.stepRunner = stepRunner;
        this.dead = dead;
    }

    @Override
    public boolean next(DedicatedSession open, boolean counts) throws SQLException {
        int rescued = 0;
        try (ResultSet row = open.query(RESCUE, dead, MOST, counts)) {
            while (row.next()) {
                namespaces.merge(row.getInt(1), 1, Integer::sum);
                rescued++;
            }
        }
        return rescued >= MOST;
    }

    @Override
    public void ended(DedicatedSession open, boolean complete) throws SQLException {
        int processes = namespaces.values().stream().mapToInt(each -> each).sum();
        log.info("node {} crashed; the {} processes that it had continue", dead, processes);
        namespaces.forEach((namespace, count) -> {
            NamespaceSlots served = stepRunner.served().get(namespace);
            if (served != null) served.meter().recovered(count);
        });
        if (!namespaces.isEmpty())
            open.update(RING, (Object) namespaces.keySet().toArray(Integer[]::new));
        // A sleeping node does not know of the timers of the dead one: all look again.
        stepRunner.signal().ring();
    }
}
