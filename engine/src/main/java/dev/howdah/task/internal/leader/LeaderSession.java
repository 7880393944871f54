package dev.howdah.task.internal.leader;

import dev.howdah.Database.HostPort;
import dev.howdah.internal.pause.PauseMark;
import dev.howdah.internal.sql.SchemaName;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.task.internal.store.TableName;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The leader's statements for one table, in the session that holds the scheduler's lock; no other session writes tasks for it
 * else. When the session ends, for whatever reason, the server frees the lock that instant, and what could have been
 * written late can no longer be written at all. Several tables of a database may share a session. Used by
 * the scheduler's thread, but for {@link #abort}.
 */
public final class LeaderSession implements AutoCloseable {
    /** Makes something of a row. */
    public interface Reader<T> {
        T read(ResultSet row) throws SQLException;
    }

    /** The subquery is evaluated once for each statement. */
    public static final String OWNER = "(CASE WHEN owner = current_user"
            + " AND COALESCE(owner_oid = (SELECT to_regrole(quote_ident(current_user))::oid), true) THEN NULL"
            + " ELSE concat(owner_oid, ' ', owner) END)";

    private static final String ACTING =
            "(SELECT concat(to_regrole(quote_ident(current_user))::oid, ' ', current_user))";

    private final SharedLeaderSession session;
    private final TableName table;
    private SqlFile sql;
    private final Map<String, Sql> statements = new HashMap<>();
    private boolean closed;
    private volatile boolean aborted;

    /** @param session which was {@linkplain SharedLeaderSession#join joined}, and is left when this is closed */
    public LeaderSession(SharedLeaderSession session, TableName table) {
        this.session = session;
        this.table = table;
        session.use(table);
        this.sql = withZone(table.sql("scheduler.sql"));
    }

    public TableName table() {
        return table;
    }

    /** From now on a task is read with its owner; null where that is the scheduler's role. */
    public void ownersKnown() {
        // No owner at all, which the table does not allow, must not look like the scheduler's role.
        owners(OWNER, "(CASE WHEN owner = current_user THEN NULL ELSE owner END)", true);
    }

    /**
     * From now on all tasks are those of the role that the scheduler acts for, but does not log in as: the role that owns the
     * table could have written any other owner.
     *
     * @param kept whether the table has owners, which repeats take over
     */
    public void ownedByActingRole(boolean kept) {
        owners(ACTING, "current_user::text", kept);
    }

    private static SqlFile withZone(SqlFile file) {
        return file.with(Map.of("owner_zone", file.text("owner_zone")));
    }

    /** States are values of this type, quoted; to be said before whose the tasks are. */
    public void statesOf(String type) {
        sql = withZone(table.sql("scheduler.sql", type));
        statements.clear();
    }

    private void owners(String expression, String name, boolean kept) {
        sql = sql.with(Map.of("owner", expression, "owner_name", name, "owners", Boolean.toString(kept)));
        statements.clear();
    }

    public <T> List<T> query(String name, Reader<T> reader, @Nullable Object... parameters) throws SQLException {
        List<T> rows = new ArrayList<>();
        message().add(name, row -> rows.add(reader.read(row)), parameters).send();
        return rows;
    }

    /** Calls the visitor for each row. */
    public void each(String name, SharedLeaderSession.Visitor visitor, @Nullable Object... parameters)
            throws SQLException {
        message().add(name, visitor, parameters).send();
    }

    /** The one row of a statement that always has one. */
    public <T> T one(String name, Reader<T> reader, @Nullable Object... parameters) throws SQLException {
        return query(name, reader, parameters).get(0);
    }

    /** For the effect alone. */
    public void run(String name, @Nullable Object... parameters) throws SQLException {
        message().add(name, null, parameters).send();
    }

    /** Several statements in one round trip and, outside of {@link #atomically}, one transaction. */
    public Message message() {
        return new Message();
    }

    /** Does work that is committed as a whole, or not at all; from its beginning again when it met a lock. */
    public void atomically(SharedLeaderSession.Work work) throws SQLException {
        session.atomically(work, () -> !aborted);
    }

    /** Whether everything in the database is paused. */
    public PauseMark.State pause() throws SQLException {
        List<PauseMark.State> found = new ArrayList<>();
        message()
                .add(PauseMark.READ, row -> found.add(PauseMark.state(row, SchemaName.DEFAULT)))
                .send();
        return found.isEmpty() ? PauseMark.NONE : found.get(0);
    }

    /** The holders of the locks for which users of the session stand by. */
    LeaderWatch incumbents() {
        return session.incumbents();
    }

    /** The one of several servers where the session is. */
    public HostPort server() {
        return session.server();
    }

    /** Returns whether the session has ended, as far as the driver has heard; sends no statement. */
    public boolean isLost() {
        return session.isLost();
    }

    /** Returns whether an error means that the session is gone, rather than that a statement failed. */
    public boolean isLoss(SQLException e) {
        return session.isLoss(e);
    }

    /** The session is lost, also for the other tables that share it. */
    public void lost() {
        session.abort();
    }

    /** Waits for nothing any more, and ends the session at once unless it is shared; from any thread. */
    public void abort() {
        aborted = true;
        if (!session.isShared()) session.abort();
    }

    /** Gives up what it holds. */
    @Override
    public void close() {
        if (closed) return;
        closed = true;
        try {
            if (!session.isClosed())
                message()
                        .add("lock_give_up", null, table.quoted())
                        .add("task_wake_others", null, table.quoted())
                        .send();
        } catch (SQLException e) {
            session.abort(); // the locks have to go, whatever else goes with them
        } finally {
            session.leave();
        }
    }

    /** Statements that travel together. */
    public final class Message {
        private final List<SharedLeaderSession.@Nullable Visitor> visitors = new ArrayList<>();
        private final List<@Nullable Object> values = new ArrayList<>();
        private @Nullable Sql joined;

        /** @param visitor called for each row; null where none is of interest */
        public Message add(String name, SharedLeaderSession.@Nullable Visitor visitor, @Nullable Object... parameters) {
            return add(statements.computeIfAbsent(name, sql::statement), visitor, parameters);
        }

        public Message add(
                Sql statement, SharedLeaderSession.@Nullable Visitor visitor, @Nullable Object... parameters) {
            joined = joined == null ? statement : joined.then(statement);
            visitors.add(visitor);
            for (Object each : parameters) values.add(each);
            return this;
        }

        /** Sends it once: what meets a lock fails. */
        public void sendOnce() throws SQLException {
            if (joined != null) session.send(joined, visitors, values.toArray(), () -> false);
        }

        public void send() throws SQLException {
            if (joined != null) session.send(joined, visitors, values.toArray(), () -> !aborted);
        }
    }

    /** A statement with names in it that are only known now, quoted already. */
    public Sql statement(String name, Map<String, String> names) {
        return sql.with(names).statement(name);
    }
}
