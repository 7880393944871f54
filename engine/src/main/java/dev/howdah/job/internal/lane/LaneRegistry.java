package dev.howdah.job.internal.lane;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlErrors;
import dev.howdah.internal.sql.Transactions;
import dev.howdah.job.internal.store.JobSql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The lanes of the queues that this program has to do with, as far as they are known here; lanes are made and never removed. A new
 * one is made in a transaction of its own, if it can be at once: made in the caller's it would hold up all other callers that add to
 * a new queue. Where that would have to wait, for a connection or for a transaction that makes the same lane, it is made in the
 * caller's transaction, since the one that is waited for may be the caller's. Safe for use by many threads.
 */
public final class LaneRegistry {
    private static final Sql LIST = JobSql.LANE.statement("lane_list");
    private static final Sql FIND = JobSql.LANE.statement("lane_find");
    private static final Sql MAKE = JobSql.LANE.statement("lane_make");
    private static final Sql PATIENCE = JobSql.LANE.statement("lane_patience");
    private static final Sql IMPATIENCE = JobSql.LANE.statement("lane_patience_end");
    private static final Sql PRIORITY_IS_SEEN = JobSql.LANE.statement("lane_priority_find");
    private static final Sql PRIORITY_SEEN = JobSql.LANE.statement("lane_priority_add");

    /** How long a transaction of a caller is kept waiting for one beside it. */
    private static final Duration APART = Duration.ofSeconds(1);

    /** How long another transaction that makes the same lane is waited for. */
    private static final Duration PATIENT = Duration.ofSeconds(30);

    private record Name(String queue, @Nullable String kind) {
        /** By hand, as the one of records is linked when it is first used, which takes milliseconds of each start. */
        @Override
        public int hashCode() {
            return 31 * queue.hashCode() + Objects.hashCode(kind);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Name name && queue.equals(name.queue) && Objects.equals(kind, name.kind);
        }
    }

    private record Level(int lane, int priority) {}

    private final ConnectionSource source;
    private final Map<Name, Lane> known = new ConcurrentHashMap<>();
    private final Set<Integer> grouped = ConcurrentHashMap.newKeySet();
    private final Set<Level> levels = ConcurrentHashMap.newKeySet();

    public LaneRegistry(ConnectionSource source) {
        this.source = source;
    }

    /**
     * Where a job of that kind waits in that queue. Makes the queue's lane if it is not there yet.
     *
     * @param transaction the connection on which the job is added; null: none is held, and one of our own can be waited for
     * @param byName whether statements of the transaction look for the lane by the name of the queue
     */
    public Lane forJob(@Nullable Connection transaction, String queue, String kind, int priority, boolean byName)
            throws SQLException {
        Lane lane = known(queue, kind);
        if (lane == null) lane = transaction == null ? made(queue, kind) : within(transaction, queue, kind, byName);
        if (priority != 0 && !lane.log()) seen(transaction, lane, priority);
        return lane;
    }

    private @Nullable Lane known(String queue, String kind) {
        return choose(known.get(new Name(queue, null)), known.get(new Name(queue, kind)));
    }

    /** The jobs of a log queue are never apart by kind. */
    private static @Nullable Lane choose(@Nullable Lane whole, @Nullable Lane own) {
        return own == null || whole != null && whole.log() ? whole : own;
    }

    private Lane made(String queue, String kind) throws SQLException {
        try (Connection connection = source.getConnection()) {
            Lane lane = find(connection, queue, kind);
            return lane == null ? made(connection, queue, kind, PATIENT) : lane;
        }
    }

    /** The caller's transaction may have made the lane, by SQL: only that transaction sees it. */
    private Lane within(Connection transaction, String queue, String kind, boolean byName) throws SQLException {
        Lane lane = find(transaction, queue, kind);
        if (lane != null) return lane;
        if (byName && !seesCommitted(transaction)) return madeSerially(transaction, queue, kind);
        try (Connection apart = source.getConnection(APART)) {
            return made(apart, queue, kind, APART);
        } catch (SQLException e) {
            return madeWithin(transaction, queue, kind, e);
        }
    }

    /** Whether what others commit meanwhile is there for the next statement of that transaction. */
    private static boolean seesCommitted(Connection transaction) throws SQLException {
        int level = transaction.getTransactionIsolation();
        return level == Connection.TRANSACTION_READ_COMMITTED || level == Connection.TRANSACTION_READ_UNCOMMITTED;
    }

    /**
     * In a transaction to which a lane that is made beside it stays invisible. Another one that makes the same lane is not waited for until it
     * ends, since it may wait for a lane of this one: it is a conflict of the two, as if both had changed a row.
     */
    private Lane madeSerially(Connection transaction, String queue, String kind) throws SQLException {
        try {
            return made(transaction, queue, kind, APART);
        } catch (SQLException e) {
            if (!SqlErrors.isLockNotAvailable(e)) throw e;
            throw new SQLException(e.getMessage(), SqlErrors.SERIALIZATION_FAILURE, e);
        }
    }

    private Lane madeWithin(Connection transaction, String queue, String kind, SQLException apart) throws SQLException {
        try {
            return made(transaction, queue, kind, PATIENT);
        } catch (SQLException e) {
            e.addSuppressed(apart);
            throw e;
        }
    }

    private Lane made(Connection connection, String queue, String kind, Duration patience) throws SQLException {
        make(connection, queue, null, patience);
        Lane made = find(connection, queue, kind);
        if (made == null) throw missing(queue);
        return made;
    }

    private static SQLException missing(String queue) {
        return new SQLException("the lane of queue " + queue + " was made and is not there");
    }

    private @Nullable Lane find(Connection connection, String queue, String kind) throws SQLException {
        Lane whole = null;
        Lane own = null;
        for (Lane each : findBoth(connection, queue, kind)) {
            if (each.kind() == null) whole = each;
            else own = each;
        }
        return choose(whole, own);
    }

    /** That of the queue and that of the kind alone, as far as there are. A lane that a rollback can undo is not remembered. */
    private List<Lane> findBoth(Connection connection, String queue, @Nullable String kind) throws SQLException {
        List<Lane> lanes = new ArrayList<>();
        try (PreparedStatement statement = FIND.prepare(connection, queue, kind);
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                Lane lane = new Lane(row.getInt(1), queue, row.getString(2), row.getBoolean(3), row.getBoolean(4));
                if (row.getBoolean(5)) known.put(new Name(queue, lane.kind()), lane);
                lanes.add(lane);
            }
        }
        return lanes;
    }

    /** Makes the queues' own lanes if need be. */
    public void makeQueues(Set<String> queues) throws SQLException {
        for (String queue : queues) if (!known.containsKey(new Name(queue, null))) make(queue, null);
    }

    /** The lanes, of those that are known, that a node takes from which works these queues and kinds. */
    public List<Lane> forNode(Set<String> queues, Set<String> kinds) {
        List<Lane> lanes = new ArrayList<>();
        for (Lane lane : known.values()) {
            String kind = lane.kind();
            if (queues.contains(lane.queue()) && (kind == null || kinds.contains(kind))) lanes.add(lane);
        }
        return lanes;
    }

    /** The lane of its own for a kind that not every node of its queue can work. */
    public Lane make(String queue, @Nullable String kind) throws SQLException {
        Lane there = known.get(new Name(queue, kind));
        if (there != null) return there;
        try (Connection connection = source.getConnection()) {
            make(connection, queue, kind, PATIENT);
            for (Lane each : findBoth(connection, queue, kind)) if (Objects.equals(each.kind(), kind)) return each;
        }
        throw missing(queue);
    }

    /** In the transaction of that connection, or in one of its own if there is none. */
    private static void make(Connection connection, String queue, @Nullable String kind, Duration patience)
            throws SQLException {
        if (connection.getAutoCommit()) {
            Transactions.run(connection, () -> make(connection, queue, kind, patience));
            return;
        }
        String before = ask(PATIENCE.prepare(connection, patience.toMillis() + "ms"));
        try (PreparedStatement statement = MAKE.prepare(connection, queue, kind)) {
            statement.execute();
        } catch (SQLException e) {
            throw SqlErrors.isLockNotAvailable(e) ? waited(queue, patience, e) : e;
        }
        ask(IMPATIENCE.prepare(connection, before));
    }

    private static SQLException waited(String queue, Duration patience, SQLException e) {
        return new SQLException(
                "another transaction makes queue " + queue + ", which is new, and has not ended for "
                        + patience.toSeconds()
                        + " s: end the transaction that was the first to add to it, pause or change it by SQL; the"
                        + " thread that waits may have begun that transaction itself, on another connection",
                e.getSQLState(),
                e);
    }

    private static String ask(PreparedStatement prepared) throws SQLException {
        try (PreparedStatement statement = prepared;
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getString(1);
        }
    }

    /** Whether jobs of groups wait in that lane, or have waited. */
    public boolean hasGroups(Lane lane) {
        return !grouped.isEmpty() && grouped.contains(lane.id());
    }

    /** Sees to it that claims ask for this priority. */
    public void seen(Lane lane, int priority) throws SQLException {
        seen(null, lane, priority);
    }

    /** In the caller's transaction, if there is one: no other waits for that, and the lane may be the transaction's own. */
    private void seen(@Nullable Connection transaction, Lane lane, int priority) throws SQLException {
        Level level = new Level(lane.id(), priority);
        if (levels.contains(level)) return;
        if (transaction != null) {
            if (isSeen(transaction, level)) levels.add(level);
            return;
        }
        try (Connection connection = source.getConnection()) {
            isSeen(connection, level);
        }
        levels.add(level);
    }

    /** Whether no rollback can undo it. */
    private static boolean isSeen(Connection connection, Level level) throws SQLException {
        try (PreparedStatement statement = PRIORITY_IS_SEEN.prepare(connection, level.lane(), level.priority());
                ResultSet row = statement.executeQuery()) {
            if (row.next()) return row.getBoolean(1);
        }
        try (PreparedStatement statement = PRIORITY_SEEN.prepare(connection, level.lane(), level.priority())) {
            statement.executeUpdate();
        }
        return false;
    }

    /** Learns of new ones of these queues through that connection. */
    public void refresh(Connection connection, Set<String> queues) throws SQLException {
        try (PreparedStatement statement = LIST.prepare(connection, (Object) queues.toArray(String[]::new));
                ResultSet row = statement.executeQuery()) {
            learn(row);
        }
    }

    /**
     * Reads new lanes in a session that is open, so that no caller waits for a connection.
     *
     * @return whether one has groups that had none before, as far as was known
     */
    public boolean refresh(DedicatedSession session, Set<String> queues) throws SQLException {
        int before = grouped.size();
        try (ResultSet row = session.query(LIST, (Object) queues.toArray(String[]::new))) {
            learn(row);
        }
        return grouped.size() != before;
    }

    private void learn(ResultSet row) throws SQLException {
        while (row.next()) {
            Lane lane =
                    new Lane(row.getInt(1), row.getString(2), row.getString(3), row.getBoolean(4), row.getBoolean(5));
            known.put(new Name(lane.queue(), lane.kind()), lane);
            if (row.getBoolean(6)) grouped.add(lane.id());
        }
    }
}
