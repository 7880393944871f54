package dev.howdah.task.internal.leader;

import dev.howdah.Database;
import dev.howdah.Database.HostPort;
import dev.howdah.internal.doorbell.Doorbell;
import dev.howdah.internal.run.Threads;
import dev.howdah.task.internal.quota.SessionQuotas;
import dev.howdah.task.internal.store.TableName;
import dev.howdah.task.internal.store.TaskSql;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sessions that the schedulers of one program share: for each database one that writes for all its tables,
 * and one that listens for rings. They are opened for the first scheduler that needs them and end with the last. Safe for use by
 * many threads.
 */
public final class DatabaseSessions {
    private static final Logger log = LoggerFactory.getLogger(DatabaseSessions.class);

    private static final String PULSE = "pulse ";
    private static final Duration DEFAULT_LEASE = Duration.ofSeconds(10);
    private static final String SETTINGS_VERSION = TaskSql.SCHEDULER.text("settings_version");

    /** The sessions of one database; their lock is held while a session is being opened. */
    private static final class Place {
        private volatile @Nullable SharedLeaderSession leaderSession;
        private @Nullable Doorbell doorbell;
        private int listeners;
    }

    /** What is rung when nothing is wanted but a sign of life from the program that has this session. */
    static String pulse(int pid) {
        return PULSE + pid;
    }

    private final Map<Database, Place> places = new ConcurrentHashMap<>();
    private final SessionQuotas quotas;

    /** @param quotas how many sessions there may be for tasks */
    public DatabaseSessions(SessionQuotas quotas) {
        this.quotas = quotas;
    }

    public SessionQuotas quotas() {
        return quotas;
    }

    private Place place(Database database) {
        return places.computeIfAbsent(database, d -> new Place());
    }

    /** The leader's session of a table, which the caller closes; {@code lease}: how long it may be silent before it is lost. */
    public LeaderSession open(Database database, TableName table, Duration lease) throws SQLException {
        Place place = place(database);
        synchronized (place) {
            SharedLeaderSession session = place.leaderSession;
            if (session == null || !session.join()) {
                session = SharedLeaderSession.open(database, "howdah " + table.schema() + " " + table.table(), lease);
                session.join();
                place.leaderSession = session;
            }
            return new LeaderSession(session, table);
        }
    }

    /** The session that a standby asks for a sign of life; null if the payload means none of this program's. */
    private @Nullable SharedLeaderSession asked(String payload) {
        if (!payload.startsWith(PULSE)) return null;
        for (Place place : places.values()) {
            SharedLeaderSession session = place.leaderSession;
            if (session != null && payload.equals(pulse(session.pid())) && !session.isClosed()) return session;
        }
        return null;
    }

    /** Gives the sign of life by a statement, in a thread of its own, for it may have to wait; one at a time. */
    private void answer(String payload) {
        SharedLeaderSession session = asked(payload);
        if (session == null || !session.beginPulse()) return;
        Threads.daemon("howdah-pulse", () -> {
                    try {
                        session.pulse();
                    } catch (SQLException e) {
                        log.debug("no sign of life: {}", e.getMessage());
                    }
                })
                .start();
    }

    /** A subscription to the rings of a database. */
    public interface Listening extends AutoCloseable {
        /** Returns whether a ring would be heard now. */
        boolean now();

        /** Listens no more. */
        @Override
        void close();
    }

    /**
     * @param server the one of several where the leader's session is: the doorbell has to be there
     * @param knows which payloads are of interest
     * @param ring called with one of these, and with an empty text when something may have been missed; in a thread that
     *     has no time to wait
     */
    public Listening listen(Database database, HostPort server, Predicate<String> knows, Consumer<String> ring) {
        return listen(database.withServer(server), knows, ring, null);
    }

    /** @param settingsChanged called when there was a change of the settings of the server, a database or a role */
    public Listening watchSettings(Database database, Runnable settingsChanged) {
        Database where = database.hosts().size() > 1
                ? database
                : database.withServer(database.hosts().get(0));
        return listen(ConnectTimeouts.within(DEFAULT_LEASE, where), payload -> false, rung -> {}, settingsChanged);
    }

    /** One session listens for all schedulers that reach the database in the same way, whatever their leases. */
    private static Database withoutLease(Database database) {
        return database.with("keepalives_idle", "").with("keepalives_interval", "");
    }

    private Listening listen(
            Database where, Predicate<String> knows, Consumer<String> ring, @Nullable Runnable settingsChanged) {
        Place place = place(withoutLease(where));
        Doorbell doorbell;
        synchronized (place) {
            doorbell = place.doorbell;
            if (doorbell == null) {
                doorbell = new Doorbell(where, "howdah_task");
                doorbell.add(payload -> asked(payload) != null, this::answer);
                place.doorbell = doorbell.start();
            }
            if (settingsChanged != null) doorbell.watch(SETTINGS_VERSION, settingsChanged);
            place.listeners++;
            doorbell.add(knows, ring);
        }
        Doorbell bell = doorbell;
        return new Listening() {
            @Override
            public boolean now() {
                return bell.listening();
            }

            @Override
            public void close() {
                bell.remove(ring);
                synchronized (place) {
                    if (--place.listeners > 0) return;
                    place.doorbell = null;
                }
                bell.close();
            }
        };
    }
}
