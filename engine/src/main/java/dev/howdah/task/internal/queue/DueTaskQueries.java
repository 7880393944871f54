package dev.howdah.task.internal.queue;

import dev.howdah.task.internal.leader.LeaderSession;
import dev.howdah.task.internal.leader.SharedLeaderSession;
import dev.howdah.task.internal.model.GroupKey;
import dev.howdah.task.internal.model.WaitingTask;
import dev.howdah.task.internal.owner.SessionVersions;
import dev.howdah.task.internal.queue.ScanPosition.Key;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads due tasks in the session of the leader. Belongs to the scheduler's thread. */
public final class DueTaskQueries implements DueTaskScanner.Source, GroupPeek.Source {
    private final LeaderSession session;
    private final long oid;
    private final CronTimetable timetable;
    private final SessionVersions versions;

    /**
     * @param oid of the table
     * @param versions gets the answer of each page
     */
    public DueTaskQueries(LeaderSession session, long oid, CronTimetable timetable, SessionVersions versions) {
        this.session = session;
        this.oid = oid;
        this.timetable = timetable;
        this.versions = versions;
    }

    @Override
    public DueTaskScanner.Page read(boolean wake, int newest, Key after, int limit) throws SQLException {
        PageReader reader = new PageReader();
        LeaderSession.Message message = session.message();
        if (wake) message.add("task_wake", null, oid);
        message.add("task_look", reader, oid, newest, after.plan(), after.id(), limit)
                .add("task_next_plan", reader::readNextPlan, (Object) versions.owners())
                .send();
        return reader.page();
    }

    @Override
    public boolean isZoneOutdated() {
        return timetable.isOutdated();
    }

    @Override
    public List<DueTask> peek(List<GroupQueue> groups, int limit) throws SQLException {
        Integer[] hashes = groups.stream().map(group -> group.hash).toArray(Integer[]::new);
        String[] names = groups.stream().map(group -> group.key.group()).toArray(String[]::new);
        @Nullable
        String[] remotes = groups.stream().map(group -> group.key.remote()).toArray(String[]::new);
        Integer[] turns = groups.stream()
                .map(group ->
                        group.from() == null ? Integer.MIN_VALUE : -group.from().beside())
                .toArray(Integer[]::new);
        Long[] ids = groups.stream()
                .map(group ->
                        group.from() == null ? Long.MIN_VALUE : group.from().id())
                .toArray(Long[]::new);
        return session.query("task_peek", this::task, hashes, names, remotes, limit, turns, ids);
    }

    /** Reads the rows of one page. */
    private final class PageReader implements SharedLeaderSession.Visitor {
        private final List<DueTask> tasks = new ArrayList<>();
        private int size;
        private Key last = Key.START;
        private String since = "";
        private @Nullable Duration nextPlan;
        private boolean watched;
        private boolean waits;

        @Override
        public void visit(ResultSet row) throws SQLException {
            watched = row.getBoolean("triggered");
            waits = row.getBoolean("waits");
            since = row.getString("since");
            int part = row.getInt("part");
            if (row.wasNull()) return;
            if (part == 2) {
                size++;
                last = new Key(row.getString("plan"), row.getLong("id"));
            }
            tasks.add(task(row));
        }

        private void readNextPlan(ResultSet row) throws SQLException {
            double seconds = row.getDouble("seconds");
            nextPlan = row.wasNull() ? null : ScanSchedule.duration(seconds);
            versions.learn(row);
        }

        DueTaskScanner.Page page() {
            return new DueTaskScanner.Page(tasks, size, last, since, nextPlan, watched, waits);
        }
    }

    private DueTask task(ResultSet row) throws SQLException {
        CronTimetable.Cron cron = CronTimetable.Cron.read(row);
        WaitingTask task = new WaitingTask(
                row.getLong("id"),
                row.getInt("hash"),
                row.getInt("max"),
                row.getInt("count"),
                row.getDouble("live"),
                row.getString("owner"),
                row.getString("first_line"));
        return new DueTask(
                new GroupKey(row.getString("group"), row.getString("remote")),
                task,
                row.getDouble("expires"),
                cron == null ? null : misplaced(cron, row.getLong("plan_micros")),
                cron != null && cron.usesDefault());
    }

    private DueTask.@Nullable Misplaced misplaced(CronTimetable.Cron cron, long plan) {
        try {
            if (timetable.nextOrSame(cron, plan) == plan) return null;
        } catch (IllegalArgumentException e) {
            // The reason is written to the row when the task is refused.
        }
        return new DueTask.Misplaced(cron, plan);
    }
}
