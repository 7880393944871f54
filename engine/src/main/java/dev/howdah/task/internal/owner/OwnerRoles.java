package dev.howdah.task.internal.owner;

import dev.howdah.Database;
import dev.howdah.internal.text.Identifiers;
import dev.howdah.task.internal.leader.SharedLeaderSession;
import dev.howdah.task.internal.store.TaskSql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the roles with which tasks of other owners log in, and mends them. It does so in sessions apart, never in the one
 * of the leader: a task may hold a lock on its own login. Safe for use by many threads; waits for the server.
 */
public final class OwnerRoles {
    private static final Logger log = LoggerFactory.getLogger(OwnerRoles.class);

    private record Need(
            String role,
            boolean isSuper,
            boolean ownerSuper,
            boolean present,
            boolean named,
            String login,
            boolean made,
            boolean strange,
            boolean mayMake,
            boolean mayGrant,
            boolean connects,
            boolean ownerConnects,
            String database) {}

    private final Database database;
    private final long table;
    private final Duration patience;

    /**
     * @param table the oid of the table whose tasks run
     * @param patience how long the server may keep silent
     */
    public OwnerRoles(Database database, long table, Duration patience) {
        this.database = database;
        this.table = table;
        this.patience = patience;
    }

    /**
     * Makes or mends the login of that owner, and gives it that password.
     *
     * @param key the owner as the scheduler's statements give it
     * @return its name
     * @throws SessionRefusedException if a right is missing, or the owner is gone
     * @throws SQLException if it cannot be made now, also because the scheduler's own role is not let in: that is no fault of a task
     */
    String make(String key, String password) throws SQLException, SessionRefusedException {
        try (Connection connection = SharedLeaderSession.connect(database, "howdah logins", patience)) {
            return make(connection, OwnerKey.of(key), password);
        }
    }

    private String make(Connection connection, OwnerKey role, String password)
            throws SQLException, SessionRefusedException {
        String owner = role.name();
        try {
            connection.setAutoCommit(false);
            run(connection, "owner_patience");
            Need need = need(connection, role);
            check(need, owner);
            make(connection, need, owner);
            // What was granted is granted by name: it is still that of the role that was asked for.
            check(need(connection, role), owner);
            run(connection, "owner_verifier", ScramVerifier.of(password));
            execute(connection, "owner_password", names(need, owner));
            if (need.isSuper()) {
                run(connection, "owner_whose", owner);
                execute(connection, "owner_settings_of_superusers", names(need, owner));
            }
            connection.commit();
            return need.login();
        } catch (SQLException e) {
            String state = String.valueOf(e.getSQLState());
            if (!state.matches("(0A|0L|0P|22|28|42).*")) throw e;
            throw new SessionRefusedException(
                    cannotRun(owner), "Its login cannot be made or mended: " + e.getMessage());
        }
    }

    /** The beginning of an error of a task of that owner. */
    static String cannotRun(String owner) {
        return "the task cannot run with the rights of role \"" + owner + "\"";
    }

    private Need need(Connection connection, OwnerKey owner) throws SQLException {
        try (PreparedStatement statement =
                        TaskSql.RIGHTS.statement("owner_name").prepare(connection, owner.name(), table, owner.oid());
                ResultSet row = statement.executeQuery()) {
            row.next();
            return new Need(
                    row.getString("role"),
                    row.getBoolean("super"),
                    row.getBoolean("owner_super"),
                    row.getBoolean("present"),
                    row.getBoolean("named"),
                    row.getString("login"),
                    row.getBoolean("made"),
                    row.getBoolean("strange"),
                    row.getBoolean("may_make"),
                    row.getBoolean("may_grant"),
                    row.getBoolean("connects"),
                    row.getBoolean("owner_connects"),
                    row.getString("database"));
        }
    }

    private static void check(Need need, String owner) throws SessionRefusedException {
        String refusal = refusal(need, owner);
        if (refusal != null) throw new SessionRefusedException(cannotRun(owner), refusal);
    }

    private static @Nullable String refusal(Need need, String owner) {
        String me = need.role();
        if (!need.present() && need.named())
            return "The role that added it was dropped, and this name belongs to another role now. If that role is to"
                    + " run the task: UPDATE its row with SET owner = owner.";
        if (!need.present()) return "There is no such role any more.";
        if (need.ownerSuper() && !need.isSuper())
            return "It is a superuser, and the scheduler's role \"" + me + "\" is not: add the task as another role.";
        if (!need.mayGrant())
            return "The scheduler's role \"" + me + "\" may not pass it on: GRANT " + Identifiers.quote(owner) + " TO "
                    + Identifiers.quote(me) + " WITH ADMIN OPTION";
        if (need.strange())
            return "There is another role \"" + need.login()
                    + "\", which has the name of its login, but not the comment"
                    + " that Howdah gives to logins: rename or drop that role.";
        if (!need.made() && !need.mayMake())
            return "The scheduler's role \"" + me + "\" may not make a login for it: ALTER ROLE "
                    + Identifiers.quote(me) + " CREATEROLE";
        if (!need.ownerConnects())
            return "It may not connect to this database: GRANT CONNECT ON DATABASE "
                    + Identifiers.quote(need.database()) + " TO " + Identifiers.quote(owner);
        return null;
    }

    private static Map<String, String> names(Need need, String owner) {
        return new HashMap<>(Map.of(
                "login", Identifiers.quote(need.login()),
                "owner", Identifiers.quote(owner),
                "database", Identifiers.quote(need.database())));
    }

    private static void make(Connection connection, Need need, String owner) throws SQLException {
        Map<String, String> names = names(need, owner);
        if (need.made()) {
            execute(connection, "login_tidy", names);
            execute(connection, "login_tidy_here", names);
            for (String member : list(connection, "owner_members", need.login())) {
                names.put("member", Identifiers.quote(member));
                execute(connection, "login_forget_member", names);
            }
        } else {
            execute(connection, "login_make", names);
            execute(connection, "login_comment", names);
        }
        execute(connection, "login_member", names);
        if (!need.connects()) execute(connection, "login_grant_connect", names);
    }

    /** Removes the logins of tables and owners that are gone, as far as that is possible; never fails. */
    public void tidyUp() {
        try (Connection connection = SharedLeaderSession.connect(database, "howdah logins", patience)) {
            connection.setAutoCommit(false);
            List<String> stale = list(connection, "login_list_stale");
            connection.commit();
            for (String login : stale) drop(connection, login);
        } catch (SQLException e) {
            log.debug("logins of owners that are gone were not looked for: {}", e.getMessage());
        }
    }

    private void drop(Connection connection, String login) throws SQLException {
        Map<String, String> names =
                Map.of("login", Identifiers.quote(login), "database", Identifiers.quote(database.database()));
        try {
            run(connection, "owner_patience");
            execute(connection, "login_revoke_connect", names);
            execute(connection, "login_drop", names);
            connection.commit();
            log.info("dropped the login {}, whose table or owner is gone", login);
        } catch (SQLException e) {
            connection.rollback();
            log.info("the login {}, whose table or owner is gone, cannot be dropped: {}", login, e.getMessage());
        }
    }

    /**
     * Returns whether that role is a superuser now.
     *
     * @param key the owner as the scheduler's statements give it
     */
    public boolean isSuperuser(String key) throws SQLException {
        OwnerKey role = OwnerKey.of(key);
        try (Connection connection = SharedLeaderSession.connect(database, "howdah logins", patience)) {
            return list(connection, "owner_superuser", role.name(), role.oid()).contains("t");
        }
    }

    private static List<String> list(Connection connection, String name, @Nullable Object... values)
            throws SQLException {
        List<String> found = new ArrayList<>();
        try (PreparedStatement statement = TaskSql.RIGHTS.statement(name).prepare(connection, values);
                ResultSet rows = statement.executeQuery()) {
            while (rows.next()) found.add(rows.getString(1));
        }
        return found;
    }

    private static void run(Connection connection, String name, @Nullable Object... values) throws SQLException {
        try (PreparedStatement statement = TaskSql.RIGHTS.statement(name).prepare(connection, values)) {
            statement.execute();
        }
    }

    private static void execute(Connection connection, String name, Map<String, String> names) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(TaskSql.RIGHTS.with(names).text(name));
        }
    }
}
