package dev.howdah.task.internal.scheduler;

import dev.howdah.Database;
import dev.howdah.internal.run.Background;
import dev.howdah.internal.run.Mailbox;
import dev.howdah.internal.wire.WireException;
import dev.howdah.spi.reach.Reach;
import dev.howdah.task.RemotePlaces;
import dev.howdah.task.TaskRights;
import dev.howdah.task.TaskTableException;
import dev.howdah.task.TaskTuning;
import dev.howdah.task.internal.dispatch.TaskMetrics;
import dev.howdah.task.internal.leader.DatabaseSessions;
import dev.howdah.task.internal.leader.LeaderSession;
import dev.howdah.task.internal.leader.ResponseWatchdog;
import dev.howdah.task.internal.leader.SchedulerSettings;
import dev.howdah.task.internal.leader.SharedLeaderSession;
import dev.howdah.task.internal.owner.SessionVersions;
import dev.howdah.task.internal.queue.SessionZone;
import dev.howdah.task.internal.quota.SessionQuotas;
import dev.howdah.task.internal.reach.DocumentSessions;
import dev.howdah.task.internal.reach.ReachRunner;
import dev.howdah.task.internal.session.SessionFactory;
import dev.howdah.task.internal.session.SessionPool;
import dev.howdah.task.internal.session.StartupParameters;
import dev.howdah.task.internal.store.TableName;
import dev.howdah.task.internal.table.TableInstaller;
import dev.howdah.task.internal.table.TaskFunctions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The preparation of a term, between the election and the work: the table is completed, its settings are read, whose rights tasks have is
 * found out, and the first session for tasks is opened. Holds what the term works with; that ends when this is closed.
 */
public final class TermSetup implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(TermSetup.class);

    /**
     * The things that all terms of a scheduler share.
     *
     * @param database as the scheduler logs in
     * @param acting the same as the role that it acts for
     * @param rights the privileges that tasks are to have; null where none are configured
     * @param adopting whether a table that is there becomes one of tasks, whatever it looks like
     * @param places where tasks may connect now
     * @param reach does tasks whose remote is no PostgreSQL
     */
    public record Terms(
            Database database,
            Database acting,
            TableName table,
            @Nullable TaskRights rights,
            boolean adopting,
            Supplier<RemotePlaces> places,
            Reach reach,
            Duration lease,
            SessionQuotas quotas,
            TaskMetrics meter) {
        /** @throws TaskTableException if the table cannot be served, with the reason and the remedy */
        TermSetup prepare(
                LeaderSession leaderSession, DatabaseSessions.Listening doorbell, Mailbox mailbox, TaskTuning tuning)
                throws SQLException, WireException {
            // The leader's session is at one of several servers; nothing may happen at another.
            Database server = acting.withServer(leaderSession.server());
            TableInstaller.Table completed = complete(server);
            completed.warnings().forEach(log::warn);
            leaderSession.statesOf(completed.stateType());
            // A scheduler that acts as another role does not lend its own login to that role's tasks, unless configured
            // to.
            boolean actsForAnother = !acting.equals(database) && rights != TaskRights.SCHEDULER;
            if (actsForAnother) leaderSession.ownedByActingRole(completed.byOwner());
            else if (completed.byOwner()) leaderSession.ownersKnown();
            leaderSession.run("task_note_sessions", quotas.local().most());
            SchedulerSettings settings = SchedulerSettings.read(leaderSession, tuning);
            SessionFactory opener = new SessionFactory(
                    new SessionFactory.Addresses(database.withServer(leaderSession.server()), server, lease),
                    new StartupParameters(table, completed.oid(), settings.noticesLostClients()),
                    new SessionFactory.Rights(
                            settings.superuser(),
                            completed.byOwner() || actsForAnother,
                            places,
                            reaches(server, completed.oid())),
                    settings.errors());
            Background background = new Background("howdah-task", mailbox);
            SessionVersions versions = new SessionVersions();
            SessionPool pool = new SessionPool(opener, server, quotas, versions, background);
            try {
                leaderSession.each("task_next_plan", versions::learn, (Object) versions.owners());
                SessionZone zone = zone(leaderSession, pool, opener, versions, background);
                LeaderTerm term = new LeaderTerm(
                        leaderSession,
                        () -> complete(server),
                        completed.oid(),
                        settings,
                        zone,
                        versions,
                        pool,
                        doorbell,
                        mailbox,
                        background,
                        meter);
                return new TermSetup(term, opener, pool, background);
            } catch (SQLException | WireException | RuntimeException e) {
                pool.close();
                background.close();
                throw e;
            }
        }

        private ReachRunner reaches(Database server, long oid) {
            return new ReachRunner(
                    reach,
                    server.database() + " " + table.quoted(),
                    server.user(),
                    oid,
                    new DocumentSessions(() -> SharedLeaderSession.connect(server, "howdah documents", lease)));
        }

        /** Repeats are counted in the zone in which the sessions of tasks begin. */
        private static SessionZone zone(
                LeaderSession leaderSession,
                SessionPool pool,
                SessionFactory opener,
                SessionVersions versions,
                Background background)
                throws SQLException, WireException {
            String version = versions.of(null);
            String zone = pool.openFirst("TimeZone");
            if (zone != null) leaderSession.run("session_time_zone", zone);
            return new SessionZone(zone == null ? "UTC" : zone, version, versions, opener::timeZone, background);
        }

        private TableInstaller.Table complete(Database server) throws SQLException {
            // In a session of its own: to make an index of a large table takes time that others would wait.
            try (Connection connection = SharedLeaderSession.connect(server, "howdah setup", lease);
                    ResponseWatchdog watch = ResponseWatchdog.over(connection, server, lease)) {
                log.debug("completing {} with {}", table, watch);
                TableInstaller.Table completed = new TableInstaller(connection, table, rights, adopting).complete();
                new TaskFunctions(connection).complete();
                return completed;
            }
        }
    }

    private final LeaderTerm term;
    private final SessionFactory opener;
    private final SessionPool pool;
    private final Background background;

    private TermSetup(LeaderTerm term, SessionFactory opener, SessionPool pool, Background background) {
        this.term = term;
        this.opener = opener;
        this.pool = pool;
        this.background = background;
    }

    LeaderTerm term() {
        return term;
    }

    /** Removes logins that have become useless, in the background. */
    void tidyUp() {
        background.run(opener::tidyUp);
    }

    /** Ends all sessions of tasks. */
    @Override
    public void close() {
        pool.reach().close();
        pool.close();
        background.close();
    }
}
