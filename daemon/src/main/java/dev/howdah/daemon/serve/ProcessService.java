package dev.howdah.daemon.serve;

import dev.howdah.Database;
import dev.howdah.daemon.database.DatabaseIdentity;
import dev.howdah.daemon.work.HttpNamespace;
import dev.howdah.daemon.work.PlainJsonCodec;
import dev.howdah.process.Processes;
import dev.howdah.process.ProcessesBuilder;
import dev.howdah.spi.Metrics;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Works the processes that the configuration names, as soon as the database lets it; tries for ever until then. */
public final class ProcessService implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ProcessService.class);

    /** Shorter than it takes until a user thinks that the program hangs. */
    private static final Duration GRACE = Duration.ofSeconds(10);

    private final Database database;
    private final DataSource source;
    private final ProcessPlan plan;
    private final Metrics metrics;
    private final Services.Admission admission;
    private final Starter starter;
    private volatile @Nullable Processes processes;

    private ProcessService(
            Database database, DataSource source, ProcessPlan plan, Metrics metrics, Services.Admission admission) {
        this.database = database;
        this.source = source;
        this.plan = plan;
        this.metrics = metrics;
        this.admission = admission;
        this.starter = new Starter("processes of " + plan.namespaces(), this::begin);
    }

    /**
     * Begins in the background, if there is something to work.
     *
     * @param source sessions of the database
     * @param admission asked before anything begins there
     */
    public static ProcessService start(
            Database database, DataSource source, ProcessPlan plan, Metrics metrics, Services.Admission admission) {
        ProcessService service = new ProcessService(database, source, plan, metrics, admission);
        if (!plan.isEmpty()) service.starter.start();
        return service;
    }

    /** Returns why what is to be worked is not; null: it is, or nothing is to be. */
    @Nullable
    String obstacle() {
        Processes running = processes;
        return starter.obstacle(running == null ? null : running.obstacle());
    }

    private void begin() throws SQLException {
        admission.admit(database);
        String number;
        try (Connection connection = database.connect()) {
            number = DatabaseIdentity.of(connection);
        }
        ProcessesBuilder builder = Processes.on(source)
                .schema(plan.schema().name())
                .nodeName("howdah up, pid " + ProcessHandle.current().pid())
                .shutdownTimeout(GRACE)
                .metrics(metrics)
                .codec(new PlainJsonCodec());
        for (HttpNamespace each : plan.namespaces()) each.addTo(builder, number);
        synchronized (this) {
            if (starter.isClosing()) return;
            processes = builder.start();
        }
        log.info("running processes: {}", plan.namespaces());
    }

    /** Takes no more, waits a moment for what runs, leaves the rest to others. */
    @Override
    public void close() {
        starter.close();
        Processes last;
        synchronized (this) {
            last = processes;
            processes = null;
        }
        if (last != null) last.close();
    }
}
