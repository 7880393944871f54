package dev.howdah.daemon.serve;

import dev.howdah.Database;
import dev.howdah.daemon.work.PlainJsonCodec;
import dev.howdah.internal.connection.SchemaConnection;
import dev.howdah.internal.error.ErrorText;
import dev.howdah.internal.run.Threads;
import dev.howdah.internal.sql.SchemaName;
import dev.howdah.job.Jobs;
import dev.howdah.spi.Metrics;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the schedules and the history of jobs in a database whose jobs others work, such as workers that ask for them by HTTP: from the
 * moment on when the tables of jobs are there, and the daemon's role may use them.
 */
final class JobKeeper implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(JobKeeper.class);
    private static final Duration FIRST_LOOK = Duration.ofSeconds(1);
    private static final Duration LAST_LOOK = Duration.ofSeconds(30);
    /** A refusal stands in the log of the server. */
    private static final Duration AFTER_REFUSAL = Duration.ofMinutes(10);

    private final Database database;
    private final DataSource source;
    private final SchemaName schema;
    private final Metrics metrics;
    private final Services.Admission admission;
    private final CountDownLatch closing = new CountDownLatch(1);
    private @Nullable Jobs jobs;

    private JobKeeper(
            Database database, DataSource source, SchemaName schema, Metrics metrics, Services.Admission admission) {
        this.database = database;
        this.source = source;
        this.schema = schema;
        this.metrics = metrics;
        this.admission = admission;
    }

    /** Looks for the tables in the background. */
    static JobKeeper start(
            Database database, DataSource source, SchemaName schema, Metrics metrics, Services.Admission admission) {
        JobKeeper keeper = new JobKeeper(database, source, schema, metrics, admission);
        Threads.loop("howdah-job-keeper", keeper::run).start();
        return keeper;
    }

    private void run() {
        Duration look = FIRST_LOOK;
        try {
            while (true) {
                Duration pause = look;
                try {
                    if (isInstalled()) {
                        begin();
                        return;
                    }
                } catch (SQLException | RuntimeException e) {
                    // A role for tasks alone may not use the tables of jobs, which is no fault.
                    log.debug("the schedules of jobs are not kept: {}", ErrorText.line(e));
                    pause = AFTER_REFUSAL;
                }
                if (closing.await(pause.toMillis(), TimeUnit.MILLISECONDS)) return;
                look = look.multipliedBy(2).compareTo(LAST_LOOK) > 0 ? LAST_LOOK : look.multipliedBy(2);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void begin() throws SQLException {
        admission.admit(database);
        synchronized (this) {
            if (closing.getCount() == 0) return;
            jobs = Jobs.on(source)
                    .schema(schema.name())
                    .nodeName("howdah up, pid " + ProcessHandle.current().pid())
                    .metrics(metrics)
                    .codec(new PlainJsonCodec())
                    .keepDatabase()
                    .start();
        }
    }

    private boolean isInstalled() throws SQLException {
        try (Connection connection = SchemaConnection.of(database.connect(), schema)) {
            return Jobs.isInstalled(connection, schema.name());
        }
    }

    @Override
    public void close() {
        closing.countDown();
        Jobs last;
        synchronized (this) {
            last = jobs;
            jobs = null;
        }
        if (last != null) last.close();
    }
}
