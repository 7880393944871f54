package dev.howdah.task.internal.owner;

import dev.howdah.Database;
import dev.howdah.internal.wire.ServerMessage;
import dev.howdah.internal.wire.WireConnection;
import dev.howdah.internal.wire.WireException;
import dev.howdah.internal.wire.WireListener;
import dev.howdah.task.internal.store.TaskSql;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens sessions with the rights of other roles than the scheduler's.
 *
 * <p>For each owner of tasks there is a login of its own, a role without any rights but to become the owner. Its session
 * begins with the setting {@code role}, so that whatever a task resets leads back to the owner, and what is beneath, by
 * SET ROLE NONE or SET SESSION AUTHORIZATION DEFAULT, is a role that can do less. The scheduler's own role is never in
 * reach. The password of a login is random, lives in this object only, and holds for two minutes. It is made anew when a
 * session is opened after more than a minute, and when the server refuses it: a task may have changed it.
 *
 * <p>Safe for use by many threads; all methods wait for the server.
 */
public final class OwnerSessionFactory {
    private static final Logger log = LoggerFactory.getLogger(OwnerSessionFactory.class);
    private static final String OWNER_SETTINGS = TaskSql.RIGHTS.text("owner_settings");
    private static final String FITS = TaskSql.RIGHTS.text("owner_setting_fits");

    /** A password holds for two minutes, after which the server takes it no more; it is made anew before. */
    private static final long FRESH_NANOS = Duration.ofMinutes(1).toNanos();

    /** Settings may change, and passwords, while a session is being opened. */
    private static final int ATTEMPTS = 4;

    /**
     * The settings with which the owner's own sessions would begin.
     *
     * @param chosen what the start of a session may ask for
     * @param given what no user may choose: the login has it, or it cannot be had
     */
    private record Settings(Map<String, String> chosen, Map<String, String> given) {
        Settings without(Set<String> unfit) {
            Map<String, String> fit = new HashMap<>(chosen);
            fit.entrySet().removeIf(each -> unfit.contains(each.toString()));
            return new Settings(fit, given);
        }
    }

    /**
     * @param settings null until they have been read
     * @param unfit settings of the owner that the server does not take, as name=value: at a log-in it passes them over
     * @param version as {@link SessionVersions} knew it when it was made
     * @param madeAt when the password was made, of {@code System.nanoTime}
     */
    private record Login(
            String name, String password, @Nullable Settings settings, Set<String> unfit, String version, long madeAt) {
        boolean isFresh() {
            return System.nanoTime() - madeAt < FRESH_NANOS;
        }

        Map<String, String> chosen() {
            return settings == null ? Map.of() : settings.chosen();
        }

        Login with(Settings now) {
            return new Login(name, password, now, unfit, version, madeAt);
        }

        Login without(Set<String> more) {
            Settings left = settings == null ? null : settings.without(more);
            return new Login(name, password, left, more, version, madeAt);
        }
    }

    private final Database database;
    private final OwnerRoles maker;
    private final Duration timeout;
    private final Map<String, Login> logins = new ConcurrentHashMap<>();
    private final Map<String, Object> locks = new ConcurrentHashMap<>();

    /** @param timeout for each attempt to reach the server */
    public OwnerSessionFactory(Database database, OwnerRoles maker, Duration timeout) {
        this.database = database;
        this.maker = maker;
        this.timeout = timeout;
    }

    /**
     * A session with the rights and the settings of that role.
     *
     * @param owner as the scheduler's statements give it: oid and name
     * @param version as {@link SessionVersions} knows it: with another one the role may be gone, or not let in any more, so
     *     that its login is looked at again
     * @throws SessionRefusedException if there can be none until a role, a privilege or the configuration changes
     * @throws WireException if there is none now
     * @throws SQLException if there is none now
     */
    public WireConnection open(String owner, Map<String, String> startup, String version)
            throws WireException, SQLException, SessionRefusedException {
        Login login = login(owner, null, version);
        for (int attempt = 1; ; attempt++) {
            Map<String, String> all = new HashMap<>(startup);
            all.putAll(login.chosen());
            all.put("role", OwnerKey.of(owner).name());
            try {
                WireConnection wire = session(login, all);
                Settings settings = settings(wire).without(login.unfit());
                Settings known = login.settings();
                boolean given = known == null || settings.given().equals(known.given());
                if (given && settings.chosen().equals(login.chosen()) || attempt >= ATTEMPTS) {
                    if (known == null) logins.replace(owner, login, login.with(settings));
                    return wire;
                }
                // They hold from the beginning of a session, so that RESET leads back to them.
                wire.close();
                login = given ? login : login(owner, login, version);
                login = login.with(settings);
                logins.put(owner, login);
            } catch (WireException e) {
                if (!isRefusal(e)) throw e;
                Login fitting = fitting(owner, startup, login, e);
                if (fitting != null) {
                    login = fitting;
                    logins.put(owner, login);
                    continue;
                }
                if (attempt > 1) throw refused(owner, login, e);
                login = login(owner, login, version);
            }
        }
    }

    /** A session of the login itself, which can end other sessions of that login. */
    public WireConnection openBeneath(String owner, Map<String, String> startup)
            throws WireException, SQLException, SessionRefusedException {
        Login login = login(owner, null, "");
        try {
            return session(login, startup);
        } catch (WireException e) {
            if (!isRefusal(e)) throw e;
            return session(login(owner, login, ""), startup);
        }
    }

    /** The login without settings that the server does not take any more; null if that was not why it was refused. */
    private @Nullable Login fitting(String owner, Map<String, String> startup, Login login, WireException refusal) {
        if (!refusal.sqlState().matches("(22|42).*") || login.chosen().isEmpty()) return null;
        Map<String, String> all = new HashMap<>(startup);
        all.put("role", OwnerKey.of(owner).name());
        Set<String> unfit = new HashSet<>(login.unfit());
        try (WireConnection wire = session(login, all)) {
            for (Map.Entry<String, String> each : login.chosen().entrySet())
                wire.execute(FITS, List.of(each.getKey(), each.getValue()), new WireListener() {
                    @Override
                    public void error(ServerMessage message) {
                        if (message.code().matches("22...|42704")) unfit.add(each.toString());
                    }
                });
        } catch (WireException e) {
            return null;
        }
        if (unfit.equals(login.unfit())) return null;
        log.warn(
                "settings of role {} do not fit and are left out: {}",
                OwnerKey.of(owner).name(),
                unfit);
        return login.without(unfit);
    }

    private WireConnection session(Login in, Map<String, String> startup) throws WireException {
        return WireConnection.open(database.withUser(in.name()).with("password", in.password()), startup, timeout);
    }

    /** The login of that owner, made anew if there is none but the one that was refused. */
    private Login login(String owner, @Nullable Login refused, String version)
            throws SQLException, SessionRefusedException {
        Login known = logins.get(owner);
        if (known != null && isGood(known, refused, version)) return known;
        // Each for itself: an owner may hold up its own login.
        synchronized (locks.computeIfAbsent(owner, o -> new Object())) {
            known = logins.get(owner);
            if (known != null && isGood(known, refused, version)) return known;
            String password = ScramVerifier.newPassword();
            // Where only the password is too old the settings are still those that were seen.
            boolean aged =
                    known != null && !known.equals(refused) && known.version().equals(version);
            Settings settings = known != null && aged ? known.settings() : null;
            Set<String> unfit = known == null ? Set.of() : known.unfit();
            Login made = new Login(maker.make(owner, password), password, settings, unfit, version, System.nanoTime());
            logins.put(owner, made);
            return made;
        }
    }

    private static boolean isGood(Login known, @Nullable Login refused, String version) {
        return known.isFresh()
                && !known.equals(refused)
                && (version.isEmpty() || known.version().equals(version));
    }

    /** A wrong password, a login that is gone, no way in, a setting that does not fit: but not a server that is busy. */
    private static boolean isRefusal(WireException e) {
        return e.sqlState().matches("(0L|0P|22|28|3D|42).*");
    }

    private static SessionRefusedException refused(String owner, Login login, WireException e) {
        String reason = e.serverMessage() == null
                ? String.valueOf(e.getMessage())
                : e.serverMessage().message();
        String detail = e.sqlState().startsWith("28")
                ? "The server does not let its login " + login.name() + " in: " + reason
                        + ". It comes with a password: pg_hba.conf needs a line for it with scram-sha-256 or md5."
                : "The session of its login " + login.name() + " cannot begin: " + reason;
        return new SessionRefusedException(
                OwnerRoles.cannotRun(OwnerKey.of(owner).name()), detail);
    }

    private static Settings settings(WireConnection wire) throws WireException {
        Settings settings = new Settings(new HashMap<>(), new HashMap<>());
        wire.query(OWNER_SETTINGS, new WireListener() {
            @Override
            public void row(byte[] buffer, int[] offsets, int[] lengths) {
                boolean given = text(buffer, offsets[2], lengths[2]).equals("t");
                (given ? settings.given() : settings.chosen())
                        .put(text(buffer, offsets[0], lengths[0]), text(buffer, offsets[1], lengths[1]));
            }
        });
        return settings;
    }

    private static String text(byte[] buffer, int offset, int length) {
        return new String(buffer, offset, Math.max(length, 0), StandardCharsets.UTF_8);
    }
}
