package dev.howdah.task.internal.dispatch;

import dev.howdah.internal.sql.SqlErrors;
import dev.howdah.task.TaskState;
import dev.howdah.task.internal.leader.LeaderSession;
import dev.howdah.task.internal.leader.SharedLeaderSession;
import dev.howdah.task.internal.model.ClaimedTask;
import dev.howdah.task.internal.model.GroupKey;
import dev.howdah.task.internal.model.TaskResult;
import dev.howdah.task.internal.model.WaitingTask;
import dev.howdah.task.internal.output.ErrorFormatter;
import dev.howdah.task.internal.queue.GroupQueue;
import dev.howdah.task.internal.quota.ResourceShortage;
import dev.howdah.task.internal.reach.ReachFacts;
import dev.howdah.task.internal.session.TaskSession;
import dev.howdah.task.internal.session.TaskTracing;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes down what happens to tasks: claims and ends, many in one statement; one by one where a statement fails, so that
 * a row that cannot be written (a trigger of the user's raises an error, a repeat lies beyond the end of time) stays the
 * only one that suffers.
 */
public final class TaskStore {
    private static final Logger log = LoggerFactory.getLogger(TaskStore.class);

    /** Characters of outputs and errors in one statement, where it has more than one end. */
    private static final long LONG_STATEMENT = 1_000_000;

    /** A task and the session that is to run it. */
    record Start(WaitingTask task, GroupQueue lane, TaskSession session) {}

    private final LeaderSession leaderSession;
    private final FollowUps successors;
    private final SelfRecordedEnds ownEnds;
    private final ResourceShortage shortage = new ResourceShortage();
    private final List<Long> ended = new ArrayList<>();
    private boolean tellsOfEnds;
    private boolean replaced;

    public TaskStore(LeaderSession leaderSession, FollowUps successors) {
        this.leaderSession = leaderSession;
        this.successors = successors;
        this.ownEnds = new SelfRecordedEnds(leaderSession, successors, shortage);
    }

    /** Ends that tasks have written down themselves. */
    SelfRecordedEnds ownEnds() {
        return ownEnds;
    }

    /** Whether the ids of ended tasks are {@linkplain #takeEnded asked for}. */
    void tellOfEnds(boolean tells) {
        tellsOfEnds = tells;
    }

    /** Tasks that have ended since this was last asked. */
    public List<Long> takeEnded() {
        if (ended.isEmpty()) return List.of();
        List<Long> all = List.copyOf(ended);
        ended.clear();
        return all;
    }

    /**
     * Returns whether rows have been found, since this was last asked, that are not those of the tasks that have ended: they wait, and
     * scans have left them out for their ids.
     */
    public boolean takeReplaced() {
        boolean some = replaced;
        replaced = false;
        return some;
    }

    /** Does what follows the ends that tasks have written themselves; returns those that have to be tried again. */
    List<Long> close(List<Long> ids) throws SQLException {
        end(ids.stream());
        return ownEnds.close(ids);
    }

    private void end(Stream<Long> ids) {
        if (tellsOfEnds) ids.forEach(ended::add);
    }

    /**
     * Writes ends and claims in one transaction.
     *
     * @param watched whether each step is to be an update of its own, for a trigger to see
     * @param unwritten receives ends that could not be written now
     * @return the tasks that may begin
     */
    public List<ClaimedTask> write(
            List<TaskResult> ends, List<Start> starts, boolean watched, List<TaskResult> unwritten)
            throws SQLException {
        if (ends.isEmpty() && starts.isEmpty()) return List.of();
        int first = manyOf(ends);
        if (first < ends.size()) {
            // Each statement copies its values several times: those of all ends at once would not fit.
            write(ends.subList(0, first), List.of(), watched, unwritten);
            return write(ends.subList(first, ends.size()), starts, watched, unwritten);
        }
        end(ends.stream().map(TaskResult::id));
        Set<Long> written = new HashSet<>();
        List<ClaimedTask> begun = new ArrayList<>();
        try {
            LeaderSession.Message message = leaderSession.message();
            if (ends.isEmpty()) message.add("session_commit_at_once", null);
            addEnds(message, ends, written);
            addClaims(message, starts, watched, begun);
            message.send();
        } catch (SQLException e) {
            if (leaderSession.isLoss(e)) throw e;
            log.debug("ends and claims are written one by one: {}", e.getMessage());
            written.clear();
            begun.clear();
            for (Start start : starts) claimAlone(start, watched, begun);
        }
        List<TaskResult> rest =
                ends.stream().filter(end -> !written.contains(end.id())).toList();
        if (!rest.isEmpty()) writeAny(rest, unwritten);
        return begun;
    }

    /** How many of the first ends are written in one statement: as many as are not too long together, and one at least. */
    private static int manyOf(List<TaskResult> ends) {
        long length = 0;
        for (int i = 0; i < ends.size(); i++) {
            length += length(ends.get(i).output()) + length(ends.get(i).error());
            if (i > 0 && length > LONG_STATEMENT) return i;
        }
        return ends.size();
    }

    private static int length(@Nullable String text) {
        return text == null ? 0 : text.length();
    }

    private void addEnds(LeaderSession.Message message, List<TaskResult> ends, Set<Long> written) {
        if (ends.isEmpty()) return;
        message.add("task_finish", row -> written.add(row.getLong("id")), columns(ends));
        Long[] empty =
                ends.stream().filter(TaskResult::isEmpty).map(TaskResult::id).toArray(Long[]::new);
        if (empty.length > 0) message.add("task_drop_empty", null, (Object) empty);
    }

    private static void addClaims(
            LeaderSession.Message message, List<Start> starts, boolean watched, List<ClaimedTask> begun) {
        if (starts.isEmpty()) return;
        Integer[] pids = starts.stream().map(start -> start.session().pid()).toArray(Integer[]::new);
        addClaims(message, starts.stream().map(Start::task).toList(), pids, watched, begun);
    }

    private static void addClaims(
            LeaderSession.Message message,
            List<WaitingTask> tasks,
            @Nullable Integer[] pids,
            boolean watched,
            List<ClaimedTask> begun) {
        Long[] ids = tasks.stream().map(WaitingTask::id).toArray(Long[]::new);
        Integer[] hashes = tasks.stream().map(WaitingTask::hash).toArray(Integer[]::new);
        Integer[] maxes = tasks.stream().map(WaitingTask::max).toArray(Integer[]::new);
        SharedLeaderSession.Visitor reader = row -> begun.add(claimed(row));
        if (watched) {
            message.add("task_take", null, ids, hashes, maxes);
            message.add("task_begin", reader, ids, pids, TaskTracing.isOn());
        } else {
            message.add("task_claim", reader, ids, hashes, maxes, pids, TaskTracing.isOn());
        }
    }

    private void claimAlone(Start start, boolean watched, List<ClaimedTask> begun) throws SQLException {
        try {
            LeaderSession.Message message = leaderSession.message();
            addClaims(message, List.of(start), watched, begun);
            message.send();
        } catch (SQLException e) {
            if (leaderSession.isLoss(e)) throw e;
            boolean unreadable = SqlErrors.isUntranslatable(e);
            if (!shortage.isBehind(e) && !(unreadable && setAside(e)))
                log.warn("task {} cannot be claimed: {}", start.task().id(), e.getMessage());
        }
    }

    /**
     * Lets rows fail whose text cannot be read, if that is what has failed; says whether there were any.
     */
    public boolean setAside(SQLException reason) throws SQLException {
        // Any data exception: a character that cannot be converted, a sum of time and interval beyond the calendar.
        if (!SqlErrors.isBadData(reason)) return false;
        leaderSession.run("task_set_aside");
        long found = leaderSession.one("task_count_set_aside", row -> row.getLong("found"));
        log.warn("{} tasks cannot be read and have failed: {}", found, reason.getMessage());
        return found > 0;
    }

    /** Ends of any kind: those that repeat, those that pause their group, those whose row is gone or locked. */
    void writeAny(List<TaskResult> ends, List<TaskResult> unwritten) throws SQLException {
        writeAny(ends, unwritten, true);
    }

    /** @param drops whether rows go that are not to be kept; false where a foreign key or a trigger does not let one go */
    private void writeAny(List<TaskResult> ends, List<TaskResult> unwritten, boolean drops) throws SQLException {
        int first = manyOf(ends);
        if (first < ends.size()) {
            writeAny(ends.subList(0, first), unwritten, drops);
            writeAny(ends.subList(first, ends.size()), unwritten, drops);
            return;
        }
        end(ends.stream().map(TaskResult::id));
        Set<Long> written = new HashSet<>();
        try {
            successors.atomically(() -> {
                written.clear();
                List<FollowUps.Ended> ended = leaderSession.query("task_finish_any", FollowUps::ended, columns(ends));
                ended.forEach(each -> written.add(each.id()));
                Map<Long, Duration> waits =
                        ends.stream().collect(Collectors.toMap(TaskResult::id, TaskResult::retryAfter, (a, b) -> b));
                successors.follow(ended.stream()
                        .map(each -> each.retriedAfter(waits.getOrDefault(each.id(), Duration.ZERO)))
                        .toList());
                Long[] empty = ends.stream()
                        .filter(TaskResult::isEmpty)
                        .map(TaskResult::id)
                        .toArray(Long[]::new);
                if (drops && empty.length > 0) leaderSession.run("task_drop_empty", (Object) empty);
            });
        } catch (SQLException e) {
            if (leaderSession.isLoss(e)) throw e;
            if (ends.size() > 1) {
                for (TaskResult each : ends) writeAny(List.of(each), unwritten);
            } else if (shortage.isBehind(e)) {
                unwritten.addAll(ends);
            } else if (drops && ends.get(0).isEmpty()) {
                writeAny(ends, unwritten, false);
            } else {
                writeFailed(ends.get(0), e, unwritten);
            }
            return;
        }
        List<TaskResult> rest =
                ends.stream().filter(end -> !written.contains(end.id())).toList();
        if (rest.isEmpty()) return;
        Set<Long> open = new HashSet<>();
        for (SelfRecordedEnds.Present each : ownEnds.others(ids(rest), pids(rest))) {
            if (each.isSame()) open.add(each.id());
            else replaced = true;
        }
        rest.stream().filter(end -> open.contains(end.id())).forEach(unwritten::add);
        Set<Long> left = Set.copyOf(ownEnds.left());
        List<Long> gone = rest.stream()
                .map(TaskResult::id)
                .filter(id -> !open.contains(id) && !left.contains(id))
                .toList();
        if (!gone.isEmpty())
            log.info(
                    "{} tasks have ended whose rows are gone: deleted, restored or given other ids while they ran;"
                            + " the first of them was task {}",
                    gone.size(),
                    gone.get(0));
    }

    /**
     * An end cannot be written with all that follows from it: the end alone, with the reason as its error; without its
     * output, should that be what the database does not take.
     */
    private void writeFailed(TaskResult end, SQLException reason, List<TaskResult> unwritten) throws SQLException {
        String error =
                ErrorFormatter.plain("the end of the task could not be written: " + reason.getMessage(), end.error());
        for (String output : new String[] {end.output() == null ? "" : end.output(), ""}) {
            TaskResult failed = new TaskResult(
                    end.id(), TaskState.FAIL, end.stopMicros(), output, error, end.pid(), end.retryAfter(), null, null);
            try {
                leaderSession.run("task_finish_any", columns(List.of(failed)));
                return;
            } catch (SQLException e) {
                if (leaderSession.isLoss(e)) throw e;
                if (!shortage.isBehind(e))
                    log.warn("the end of task {} cannot be written: {}", end.id(), e.getMessage());
            }
        }
        unwritten.add(end);
    }

    /** PLAN to GONE for tasks that were not started while they were active; returns their ids. */
    void expire(List<Long> ids) throws SQLException {
        end(ids.stream());
        try {
            successors.atomically(() -> successors.follow(leaderSession.query(
                    "task_expire",
                    FollowUps::ended,
                    ids.toArray(Long[]::new),
                    leaderSession.table().schema(),
                    leaderSession.table().table())));
        } catch (SQLException e) {
            if (leaderSession.isLoss(e)) throw e;
            if (ids.size() > 1) for (Long id : ids) expire(List.of(id));
            else if (!shortage.isBehind(e))
                log.warn("task {} has expired, which cannot be written: {}", ids.get(0), e.getMessage());
        }
    }

    /**
     * PLAN to WORK for tasks that need no session. Unlike the claims of tasks of this server these wait for the disk: a crash must not
     * forget that something was sent elsewhere.
     */
    List<ClaimedTask> claimForReach(List<WaitingTask> tasks, boolean watched) throws SQLException {
        List<ClaimedTask> begun = new ArrayList<>();
        try {
            LeaderSession.Message message = leaderSession.message();
            addClaims(message, tasks, new @Nullable Integer[tasks.size()], watched, begun);
            message.send();
        } catch (SQLException e) {
            if (leaderSession.isLoss(e)) throw e;
            begun.clear();
            if (tasks.size() > 1) for (WaitingTask each : tasks) begun.addAll(claimForReach(List.of(each), watched));
            else if (!shortage.isBehind(e) && !(SqlErrors.isUntranslatable(e) && setAside(e)))
                log.warn("task {} cannot be claimed: {}", tasks.get(0).id(), e.getMessage());
        }
        return begun;
    }

    /** What receivers hear of these tasks beside their rows. */
    Map<Long, ReachFacts> reachFacts(List<ClaimedTask> tasks) throws SQLException {
        Map<Long, ReachFacts> facts = new HashMap<>();
        if (tasks.isEmpty()) return facts;
        leaderSession
                .query(
                        "task_reach_facts",
                        ReachFacts::read,
                        tasks.stream().map(ClaimedTask::id).toArray(Long[]::new),
                        tasks.stream().map(ClaimedTask::owner).toArray(String[]::new))
                .forEach(each -> facts.put(each.id(), each));
        return facts;
    }

    /** PLAN to TAKE for tasks whose session is still to be opened; says which. */
    List<Long> take(List<WaitingTask> tasks) throws SQLException {
        try {
            return leaderSession.query(
                    "task_take",
                    row -> row.getLong("id"),
                    tasks.stream().map(WaitingTask::id).toArray(Long[]::new),
                    tasks.stream().map(WaitingTask::hash).toArray(Integer[]::new),
                    tasks.stream().map(WaitingTask::max).toArray(Integer[]::new));
        } catch (SQLException e) {
            if (leaderSession.isLoss(e)) throw e;
            List<Long> taken = new ArrayList<>();
            if (tasks.size() > 1) for (WaitingTask each : tasks) taken.addAll(take(List.of(each)));
            else if (!shortage.isBehind(e))
                log.warn("task {} cannot be claimed: {}", tasks.get(0).id(), e.getMessage());
            return taken;
        }
    }

    /** TAKE to WORK for a task whose session has come; null if its state has been changed meanwhile. */
    @Nullable
    ClaimedTask begin(long id, int pid) throws SQLException {
        try {
            List<ClaimedTask> begun = leaderSession.query(
                    "task_begin", TaskStore::claimed, new Long[] {id}, new Integer[] {pid}, TaskTracing.isOn());
            return begun.isEmpty() ? null : begun.get(0);
        } catch (SQLException e) {
            if (leaderSession.isLoss(e)) throw e;
            if (!shortage.isBehind(e)) log.warn("task {} cannot begin: {}", id, e.getMessage());
            return null;
        }
    }

    /** Back to PLAN, as if they had not been claimed; returns those whose rows another session holds, to be tried again. */
    public List<Long> giveBack(List<Long> ids) throws SQLException {
        List<Long> left = new ArrayList<>(ids);
        try {
            left.removeAll(Set.copyOf(leaderSession.query(
                    "task_give_back", row -> row.getLong("id"), (Object) ids.toArray(Long[]::new))));
        } catch (SQLException e) {
            if (leaderSession.isLoss(e)) throw e;
            if (ids.size() == 1) {
                if (!shortage.isBehind(e))
                    log.warn("task {} cannot be put back to wait: {}", ids.get(0), e.getMessage());
                return left;
            }
            left.clear();
            for (Long id : ids) left.addAll(giveBack(List.of(id)));
            return left;
        }
        if (left.isEmpty()) return left;
        List<Long> held = new ArrayList<>();
        Long[] all = left.toArray(Long[]::new);
        for (SelfRecordedEnds.Present each : ownEnds.others(all, new Integer[all.length]))
            if (each.busy()) held.add(each.id());
        return held;
    }

    private @Nullable Object[] columns(List<TaskResult> ends) {
        return new @Nullable Object[] {
            ids(ends),
            ends.stream().map(end -> end.state().name()).toArray(String[]::new),
            ends.stream().map(TaskResult::stopMicros).toArray(Long[]::new),
            ends.stream().map(TaskResult::output).toArray(String[]::new),
            ends.stream().map(TaskResult::error).toArray(String[]::new),
            leaderSession.table().schema(),
            leaderSession.table().table(),
            pids(ends),
            ends.stream().map(TaskResult::sqlState).toArray(String[]::new),
            ends.stream().map(TaskResult::notices).toArray(String[]::new)
        };
    }

    private static Long[] ids(List<TaskResult> ends) {
        return ends.stream().map(TaskResult::id).toArray(Long[]::new);
    }

    private static @Nullable Integer[] pids(List<TaskResult> ends) {
        return ends.stream().map(TaskResult::pid).toArray(Integer[]::new);
    }

    private static ClaimedTask claimed(ResultSet row) throws SQLException {
        long timeout = row.getLong("timeout");
        return new ClaimedTask(
                row.getLong("id"),
                new GroupKey(row.getString("group"), row.getString("remote")),
                row.getString("input"),
                row.getInt("max"),
                row.getInt("count"),
                row.getDouble("live"),
                timeout > Integer.MAX_VALUE ? 0 : (int) timeout, // longer than the server can count: none
                row.getBoolean("save"),
                row.getBoolean("header"),
                row.getBoolean("string"),
                row.getInt("delimiter"),
                row.getInt("escape"),
                row.getInt("quote"),
                row.getString("null"),
                row.getBoolean("repeats"),
                row.getBoolean("retries"),
                row.getBoolean("once"),
                row.getLong("duration"),
                row.getString("owner"),
                row.getInt("attempt"));
    }
}
