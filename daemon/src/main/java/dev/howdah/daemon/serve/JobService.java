package dev.howdah.daemon.serve;

import dev.howdah.Database;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.database.DaemonSql;
import dev.howdah.daemon.database.DatabaseIdentity;
import dev.howdah.daemon.database.SqlFailure;
import dev.howdah.daemon.work.HttpPlaces;
import dev.howdah.daemon.work.PlainJsonCodec;
import dev.howdah.daemon.work.SignedPostJob;
import dev.howdah.daemon.work.SqlJob;
import dev.howdah.daemon.work.SqlSessions;
import dev.howdah.internal.connection.SchemaConnection;
import dev.howdah.internal.http.HttpPost;
import dev.howdah.internal.http.Signer;
import dev.howdah.internal.sql.SchemaName;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.text.Identifiers;
import dev.howdah.job.Jobs;
import dev.howdah.job.JobsBuilder;
import dev.howdah.job.JobsException;
import dev.howdah.spi.Metrics;
import dev.howdah.spi.RetryPolicy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Works the jobs that the configuration allows to, as soon as the database lets it; tries for ever until then. */
public final class JobService implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(JobService.class);
    private static final Sql SQL_ROLE = DaemonSql.JOBS.statement("command_sql_role");
    private static final Sql ALLOW_HANDLER = DaemonSql.JOBS.statement("command_allow_handler");
    private static final Sql DELEGATE = DaemonSql.JOBS.statement("command_delegate");
    private static final Sql WHO = DaemonSql.JOBS.statement("command_who");
    /** Shorter than it takes until a user thinks that the program hangs. */
    private static final Duration GRACE = Duration.ofSeconds(10);

    private final Database database;
    private final DataSource source;
    private final JobPlan plan;
    private final Metrics metrics;
    private final Services.Admission admission;
    private final Starter starter;
    private @Nullable SqlSessions sessions;
    private @Nullable SqlJob sqlJob;
    private volatile @Nullable Jobs jobs;
    private @Nullable JobKeeper keeper;

    private JobService(
            Database database, DataSource source, JobPlan plan, Metrics metrics, Services.Admission admission) {
        this.database = database;
        this.source = source;
        this.plan = plan;
        this.metrics = metrics;
        this.admission = admission;
        this.starter = new Starter("jobs of " + plan.queues(), this::begin);
    }

    /**
     * Begins in the background: works jobs, or keeps the schedules of those that others work.
     *
     * @param source sessions of the database
     * @param admission asked before anything begins there
     */
    public static JobService start(
            Database database, DataSource source, JobPlan plan, Metrics metrics, Services.Admission admission) {
        JobService service = new JobService(database, source, plan, metrics, admission);
        if (plan.isEmpty()) service.keeper = JobKeeper.start(database, source, plan.schema(), metrics, admission);
        else service.starter.start();
        return service;
    }

    /** Returns why what is to be worked is not; null: it is, or nothing is to be. */
    @Nullable
    String obstacle() {
        Jobs running = jobs;
        return starter.obstacle(running == null ? null : running.obstacle());
    }

    private void begin() throws SQLException {
        admission.admit(database);
        String number = check(database, plan);
        JobsBuilder builder = Jobs.on(source)
                .schema(plan.schema().name())
                .nodeName("howdah up, pid " + ProcessHandle.current().pid())
                .queues(plan.queues().toArray(String[]::new))
                .concurrency(plan.workers())
                .shutdownTimeout(GRACE)
                .metrics(metrics)
                .codec(new PlainJsonCodec());
        synchronized (this) {
            if (starter.isClosing()) return;
            if (plan.sqlRole() != null) addSql(builder, plan.sqlRole());
            HttpPlaces places = plan.places();
            Signer signer = plan.signer();
            if (places != null && signer != null)
                builder.defaultRetries(SignedPostJob.patient(RetryPolicy.standard()))
                        .defaultTimeout(plan.timeout().plus(HttpPost.CONNECT))
                        .handle(
                                SignedPostJob.KIND,
                                new SignedPostJob(places, signer, plan.timeout(), number, Clock.systemUTC()));
            try {
                jobs = builder.start();
            } catch (JobsException e) {
                closeSql();
                throw e;
            }
        }
        log.info(
                "running jobs of {}{}{}",
                plan.queues(),
                plan.sqlRole() == null ? "" : "; sql as " + plan.sqlRole(),
                plan.places() == null ? "" : "; http to " + plan.places());
    }

    private void addSql(JobsBuilder builder, String role) throws SQLException {
        // A password that was given is that of another role.
        SqlSessions opened = new SqlSessions(database.withUser(role).with("password", ""), plan.workers());
        try (Connection session = opened.getConnection()) {
            String who = text(session, WHO);
            if (!who.equals(role)) throw CliException.failed("the login " + role + " is " + who);
        } catch (SQLException e) {
            opened.close();
            throw new SQLException(
                    "role " + role + " cannot log in (its password is looked for in the password file): "
                            + SqlFailure.line(e),
                    e.getSQLState(),
                    e);
        }
        sessions = opened;
        SqlJob handler = new SqlJob();
        sqlJob = handler;
        builder.handleInTransaction(SqlJob.KIND, opened, handler);
    }

    /**
     * Sees to it that the tables are there and the role may do what it has to.
     *
     * @return what tells the jobs of this database from those of others
     * @throws CliException if a setting or a privilege has to change first
     */
    public static String check(Database database, JobPlan plan) throws SQLException {
        try (Connection connection = SchemaConnection.of(database.connect(), plan.schema())) {
            Jobs.install(connection, plan.schema().name());
            String role = plan.sqlRole();
            if (role != null) {
                permit(connection, role, plan.superuser(), plan.schema());
                text(connection, DELEGATE, plan.queues().toArray(String[]::new), role);
            }
            return DatabaseIdentity.of(connection);
        }
    }

    /** Makes sure that jobs can run as that role, and that no role gains privileges by that that were not meant. */
    private static void permit(Connection connection, String role, boolean superuser, SchemaName schema)
            throws SQLException {
        boolean allowed;
        try (PreparedStatement statement = SQL_ROLE.prepare(connection, role);
                ResultSet row = statement.executeQuery()) {
            if (!row.next())
                throw CliException.failed("there is no role " + role + " for jobs of kind sql: CREATE ROLE "
                        + Identifiers.quote(role) + " LOGIN");
            if (!row.getBoolean(1))
                throw CliException.failed(
                        "role " + role + " may not log in: ALTER ROLE " + Identifiers.quote(role) + " LOGIN");
            String more = row.getBoolean(2)
                    ? "is a superuser"
                    : row.getBoolean(3) ? "can do as the owner of the tables of jobs" : "";
            if (!more.isEmpty() && !superuser)
                throw CliException.failed(
                        "role " + role + " " + more + ", and so would be every role that adds a job of kind sql:"
                                + " name another one with --sql-role, or say --sql-superuser on");
            allowed = row.getBoolean(4);
        }
        if (allowed) return;
        try {
            text(connection, ALLOW_HANDLER, Identifiers.quote(role));
        } catch (SQLException e) {
            throw new SQLException(
                    "role " + role + " may not end jobs: SELECT " + schema + ".allow('"
                            + Identifiers.quote(role).replace("'", "''")
                            + "', 'handler'), as the owner of the tables: " + SqlFailure.line(e),
                    e.getSQLState(),
                    e);
        }
    }

    private static String text(Connection connection, Sql sql, Object... values) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, values);
                ResultSet row = statement.executeQuery()) {
            return row.next() ? String.valueOf(row.getString(1)) : "";
        }
    }

    private void closeSql() {
        if (sessions != null) sessions.close();
        if (sqlJob != null) sqlJob.close();
    }

    /** Takes no more, waits a moment for what runs, gives the rest back. */
    @Override
    public void close() {
        starter.close();
        if (keeper != null) keeper.close();
        Jobs last;
        synchronized (this) {
            last = jobs;
            jobs = null;
        }
        if (last != null) last.close();
        synchronized (this) {
            closeSql();
        }
    }
}
