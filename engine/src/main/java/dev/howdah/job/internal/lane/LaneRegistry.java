package dev.howdah.job.internal.lane;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.sql.Sql;
import dev.howdah.job.internal.store.JobSql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The lanes of the queues that this program has to do with, as far as they are known here; lanes are made and never removed. A new one is made in a
 * transaction of its own: made in the caller's it would hold up all other callers that add to a new queue. Safe for use by many
 * threads.
 */
public final class LaneRegistry {
    private static final Sql LIST = JobSql.LANE.statement("lane_list");
    private static final Sql MAKE = JobSql.LANE.statement("lane_make");
    private static final Sql PRIORITY_SEEN = JobSql.LANE.statement("lane_priority_add");

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

    /** Where a job of that kind waits in that queue. Makes the queue's lane if it is not there yet. */
    public Lane forJob(String queue, String kind, int priority) throws SQLException {
        Lane whole = known.get(new Name(queue, null));
        if (whole != null && whole.log()) return whole;
        Lane lane = known.get(new Name(queue, kind));
        if (lane == null) lane = whole;
        if (lane == null) {
            learn(queue);
            whole = make(queue, null);
            lane = known.get(new Name(queue, kind));
            if (lane == null || whole.log()) lane = whole;
        }
        if (priority != 0 && !lane.log()) seen(lane, priority);
        return lane;
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
        try (Connection connection = source.getConnection();
                PreparedStatement statement = MAKE.prepare(connection, queue, kind);
                ResultSet row = statement.executeQuery()) {
            if (row.next()) {
                Lane lane = new Lane(row.getInt(1), queue, kind, row.getBoolean(2), row.getBoolean(3));
                known.put(new Name(queue, kind), lane);
                return lane;
            }
        }
        // Another session made it in this moment.
        learn(queue);
        Lane made = known.get(new Name(queue, kind));
        if (made == null) throw new SQLException("the lane of queue " + queue + " was made and is not there");
        return made;
    }

    /** Whether jobs of groups wait in that lane, or have waited. */
    public boolean hasGroups(Lane lane) {
        return !grouped.isEmpty() && grouped.contains(lane.id());
    }

    /** Sees to it that claims ask for this priority. */
    public void seen(Lane lane, int priority) throws SQLException {
        Level level = new Level(lane.id(), priority);
        if (levels.contains(level)) return;
        try (Connection connection = source.getConnection();
                PreparedStatement statement = PRIORITY_SEEN.prepare(connection, lane.id(), priority)) {
            statement.executeUpdate();
        }
        levels.add(level);
    }

    private void learn(String queue) throws SQLException {
        try (Connection connection = source.getConnection()) {
            refresh(connection, Set.of(queue));
        }
    }

    /** Learns of new ones of these queues through that connection. */
    public void refresh(Connection connection, Set<String> queues) throws SQLException {
        try (PreparedStatement statement = LIST.prepare(connection, (Object) queues.toArray(String[]::new));
                ResultSet row = statement.executeQuery()) {
            learn(row);
        }
    }

    /** Reads new lanes in a session that is open, so that no caller waits for a connection. */
    public void refresh(DedicatedSession session, Set<String> queues) throws SQLException {
        try (ResultSet row = session.query(LIST, (Object) queues.toArray(String[]::new))) {
            learn(row);
        }
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
