package dev.howdah.task.internal.session;

import dev.howdah.Database;
import dev.howdah.DatabaseAddressException;
import dev.howdah.internal.wire.WireConnection;
import dev.howdah.internal.wire.WireException;
import dev.howdah.task.RemotePlaces;
import dev.howdah.task.internal.output.ErrorFormatter;
import dev.howdah.task.internal.output.OutputMemory;
import dev.howdah.task.internal.owner.OwnerKey;
import dev.howdah.task.internal.owner.OwnerRoles;
import dev.howdah.task.internal.owner.OwnerSessionFactory;
import dev.howdah.task.internal.owner.SessionRefusedException;
import dev.howdah.task.internal.owner.SessionVersions;
import dev.howdah.task.internal.quota.SessionQuota;
import dev.howdah.task.internal.reach.ReachRunner;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the sessions in which tasks run, each with the rights that its tasks are to have, and knows all that are open.
 * Safe for use by many threads; opening waits for the server.
 */
public final class SessionFactory {
    private static final Logger log = LoggerFactory.getLogger(SessionFactory.class);
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
    /** Of what {@code connect_timeout} of a remote task may ask for. */
    private static final Duration LONGEST = Duration.ofSeconds(60);

    private static final Duration FIRST_PAUSE = Duration.ofMillis(20);
    private static final Duration LAST_PAUSE = Duration.ofSeconds(2);

    /**
     * @param own as the scheduler logs in
     * @param acting the same as the role that it acts for
     * @param patience how long the server may keep silent
     */
    public record Addresses(Database own, Database acting, Duration patience) {}

    /**
     * @param superuser whether the scheduler's role is one
     * @param byOwner whether tasks run with the rights of their owners
     * @param places where tasks may connect, but for those of the scheduler's role beside those of other owners
     * @param reach does tasks for which there is no session
     */
    public record Rights(boolean superuser, boolean byOwner, Supplier<RemotePlaces> places, ReachRunner reach) {}

    private final Database acting;
    private final StartupParameters names;
    private final Rights rights;
    private final ErrorFormatter remoteErrors;
    private final String done;
    private final OwnerRoles maker;
    private final OwnerSessionFactory logins;
    private final RemoteWatchdog watch;

    /** All sessions, also those that are still being opened; and whose place each has, if it needs one. */
    private final Map<TaskSession, Optional<SessionQuota.Place>> open = new ConcurrentHashMap<>();

    private final OutputMemory.Outputs outputs = OutputMemory.ofProcess().new Outputs();
    private volatile boolean closed;

    public SessionFactory(Addresses addresses, StartupParameters names, Rights rights, ErrorFormatter remoteErrors) {
        this.acting = addresses.acting();
        this.names = names;
        this.done = names.table().sql("session.sql").text("session_done");
        this.rights = rights;
        this.remoteErrors = remoteErrors;
        this.maker = new OwnerRoles(addresses.own(), names.oid(), addresses.patience());
        this.logins = new OwnerSessionFactory(addresses.own(), maker, CONNECT_TIMEOUT);
        this.watch = new RemoteWatchdog(addresses.patience());
    }

    /**
     * One with the rights of the scheduler's role.
     *
     * @param version as {@link SessionVersions} knows it now
     */
    TaskSession local(SessionQuota.@Nullable Place place, String version) throws WireException {
        try {
            WireConnection wire = WireConnection.open(acting, names.local(), CONNECT_TIMEOUT);
            return opened(wire, false, null, place, version);
        } catch (WireException | RuntimeException e) {
            if (place != null) place.close();
            throw e;
        }
    }

    /**
     * @param owner whose rights it is to have; null for the scheduler's role
     * @param place given back when there is no session, or when it ends
     * @param version as {@link SessionVersions} knows it now
     */
    TaskSession local(@Nullable String owner, SessionQuota.@Nullable Place place, String version)
            throws WireException, SQLException, SessionRefusedException {
        if (owner == null) return local(place, version);
        try {
            return opened(logins.open(owner, names.local(), version), false, owner, place, version);
        } catch (WireException | SQLException | SessionRefusedException | RuntimeException e) {
            if (place != null) place.close();
            throw e;
        }
    }

    /**
     * One at another server.
     *
     * @param owner whose task runs there; null for the scheduler's role
     * @param place given back when there is no session, or when it ends
     * @throws SessionRefusedException if that owner may not go there like this
     */
    TaskSession remote(String remote, @Nullable String owner, SessionQuota.@Nullable Place place)
            throws WireException, SQLException, SessionRefusedException {
        try {
            return opened(remoteConnection(remote, owner, true), true, owner, place, "");
        } catch (WireException | SQLException | SessionRefusedException | RuntimeException e) {
            if (place != null) place.close();
            throw e;
        }
    }

    /** What the program's surroundings hold (passwords, files) is the scheduler's: others bring their own. */
    private WireConnection remoteConnection(String remote, @Nullable String owner, boolean forTask)
            throws WireException, SQLException, SessionRefusedException {
        if (owner == null && rights.byOwner()) return connect(Database.of(remote));
        if (owner == null && rights.superuser()) return connect(allowed(Database.of(remote), null, forTask));
        try {
            return connectAlone(remote, owner, forTask);
        } catch (SessionRefusedException e) {
            if (owner == null || !maker.isSuperuser(owner)) throw e;
            return connect(allowed(Database.of(remote), owner, forTask));
        }
    }

    /**
     * The same, if tasks of that owner may connect there.
     *
     * @param forTask false for what has to end there, whatever is allowed since
     */
    private Database allowed(Database where, @Nullable String owner, boolean forTask) throws SessionRefusedException {
        if (!forTask) return where;
        String role = owner == null ? acting.user() : OwnerKey.of(owner).name();
        String refusal = rights.places().get().refusal(role, where);
        if (refusal != null) throw new SessionRefusedException("remote is not allowed", refusal);
        return where;
    }

    private WireConnection connect(Database where) throws WireException {
        // For ever, as libpq understands 0, would keep a place from others, and so would a very long time.
        Duration given = where.connectTimeout();
        boolean bounded = where.parameter("connect_timeout") != null && !given.isZero();
        Duration timeout = !bounded ? CONNECT_TIMEOUT : given.compareTo(LONGEST) > 0 ? LONGEST : given;
        return WireConnection.open(where, names.remote(), timeout);
    }

    private WireConnection connectAlone(String remote, @Nullable String owner, boolean forTask)
            throws WireException, SessionRefusedException {
        Database where;
        try {
            where = Database.ofTextAlone(remote);
        } catch (DatabaseAddressException e) {
            throw new SessionRefusedException("could not connect", e.getMessage());
        }
        allowed(where, owner, forTask);
        if (where.parameter("password") == null)
            throw new SessionRefusedException(
                    "password is required", "Tasks of roles other than superusers give a password in remote.");
        // A server that lets the scheduler in without a password must not get options of another owner with it: what
        // they
        // set would hold from the log-in on.
        if (where.parameter("options") != null)
            connectWithPassword(where.with("options", "")).close();
        return connectWithPassword(where);
    }

    private WireConnection connectWithPassword(Database where) throws WireException, SessionRefusedException {
        WireConnection wire = connect(where);
        if (wire.passwordAsked()) return wire;
        wire.close();
        throw new SessionRefusedException(
                "password is required",
                "The server let the task in without asking for its password, which would give it rights of the"
                        + " scheduler.");
    }

    private TaskSession opened(
            WireConnection wire,
            boolean remote,
            @Nullable String owner,
            SessionQuota.@Nullable Place place,
            String version) {
        TaskExecution.Manner manner =
                new TaskExecution.Manner(remote, names.application(), remoteErrors, done, outputs);
        TaskSession session = new TaskSession(wire, owner, manner, version);
        open.put(session, Optional.ofNullable(place));
        if (remote) watch.add(session);
        if (closed) end(session);
        return session;
    }

    /** Ends a session in good order. */
    void end(TaskSession session) {
        Optional<SessionQuota.Place> place = open.remove(session);
        watch.remove(session);
        session.close();
        if (place != null) place.ifPresent(SessionQuota.Place::close);
    }

    /** All that are open; what is opened from now on ends at once. */
    Set<TaskSession> close() {
        closed = true;
        return open.keySet();
    }

    /**
     * The time zone with which sessions of the scheduler's role begin; tried again until the server can be reached. Null
     * when this is closed.
     */
    @Nullable
    public String timeZone() {
        Duration pause = FIRST_PAUSE;
        while (!closed) {
            try {
                TaskSession session = local(null, "");
                String zone = session.parameter("TimeZone");
                end(session);
                return zone;
            } catch (WireException e) {
                log.debug("the time zone of new sessions cannot be read now: {}", e.getMessage());
            }
            pause = longer(pause);
            if (!pause(pause)) return null;
        }
        return null;
    }

    /**
     * Ends sessions without a client, where tasks of that remote and owner run; returns when they are gone,
     * however long it takes to reach their server, or false when this is closed.
     */
    boolean endOthers(@Nullable String remote, @Nullable String owner, List<SessionPool.Left> left) {
        Duration pause = FIRST_PAUSE;
        String told = "";
        while (!closed) {
            try {
                if (endNow(remote, owner, left, pause)) return true;
            } catch (SessionRefusedException e) {
                if (remote != null) return true; // no session of ours ever began there like this
                told = tell(told, e);
            } catch (WireException | SQLException | IllegalArgumentException e) {
                told = tell(told, e);
            }
            pause = longer(pause);
            if (!pause(pause)) return false;
        }
        return false;
    }

    private static String tell(String before, Exception e) {
        String reason = String.valueOf(e.getMessage());
        if (!reason.equals(before))
            log.warn("orphaned sessions cannot be ended, and their tasks wait for that: {}", reason);
        return reason;
    }

    private boolean endNow(
            @Nullable String remote, @Nullable String owner, List<SessionPool.Left> left, Duration before)
            throws WireException, SQLException, SessionRefusedException {
        TaskSession session = besides(remote, owner);
        try {
            Duration pause = before;
            for (int i = 0; i < 10 && !closed; i++) {
                if (!session.endOthers(left)) return true;
                if (!pause(pause)) return false;
                pause = longer(pause);
            }
            return false;
        } finally {
            end(session);
        }
    }

    private static Duration longer(Duration pause) {
        return pause.multipliedBy(2).compareTo(LAST_PAUSE) > 0 ? LAST_PAUSE : pause.multipliedBy(2);
    }

    private static boolean pause(Duration time) {
        try {
            TimeUnit.MILLISECONDS.sleep(time.toMillis());
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private TaskSession besides(@Nullable String remote, @Nullable String owner)
            throws WireException, SQLException, SessionRefusedException {
        if (remote != null) return opened(remoteConnection(remote, owner, false), true, owner, null, "");
        if (owner == null) return local(null, "");
        return opened(logins.openBeneath(owner, names.local()), false, owner, null, "");
    }

    /** The memory for what tasks answer. */
    OutputMemory.Outputs outputs() {
        return outputs;
    }

    /** Does tasks for which there is no session. */
    ReachRunner reach() {
        return rights.reach();
    }

    /** Removes logins that have become useless. */
    public void tidyUp() {
        if (rights.byOwner()) maker.tidyUp();
    }
}
