package dev.howdah.task.internal.dispatch;

import dev.howdah.internal.error.AttemptLog;
import dev.howdah.internal.error.ErrorText;
import dev.howdah.spi.reach.Cancellation;
import dev.howdah.task.TaskState;
import dev.howdah.task.internal.model.ClaimedTask;
import dev.howdah.task.internal.model.SessionResult;
import dev.howdah.task.internal.model.TaskResult;
import dev.howdah.task.internal.model.WaitingTask;
import dev.howdah.task.internal.output.ErrorFormatter;
import dev.howdah.task.internal.queue.GroupQueue;
import dev.howdah.task.internal.session.TaskSession;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * The tasks that are ours now, and what has become of them but is not written yet. Belongs to the scheduler's thread.
 */
public final class RunningTasks {
    /** A task whose session is lost so many times in a row ends as failed: it would end every session there is. */
    private static final int MAX_LOSSES = 3;

    private static final AttemptLog FAILURES = new AttemptLog(LoggerFactory.getLogger(RunningTasks.class));

    /** A task for another server whose session has come. */
    record Arrival(WaitingTask task, GroupQueue lane, TaskSession session) {}

    private final Map<Long, GroupQueue> lanes = new HashMap<>();
    private final Map<Long, TaskSession> sessions = new HashMap<>();
    private final Map<Long, Cancellation> reaching = new HashMap<>();
    private final Set<Long> stopped = new HashSet<>();
    private final Map<Long, Long> deadlines = new HashMap<>();
    private final Set<Long> overdue = new HashSet<>();
    private final Map<Long, Integer> losses = new HashMap<>();
    private List<TaskResult> ends = new ArrayList<>();
    private final Set<Long> ending = new HashSet<>();
    private final EndBuffer shortEnds = new EndBuffer();
    private List<TaskResult> endsAlone = new ArrayList<>();
    private List<Long> returned = new ArrayList<>();
    private List<Long> marked = new ArrayList<>();
    private List<Arrival> arrivals = new ArrayList<>();
    private final List<TaskResult> unwritten = new ArrayList<>();
    private int remote;

    /** A pool for which tasks compete: sessions here, or places at other servers, for each owner; null is the scheduler's role. */
    private record Use(@Nullable String owner, boolean remote) {}

    private final Map<Long, Use> uses = new HashMap<>();
    private final Map<Use, Integer> counts = new HashMap<>();

    boolean contains(long id) {
        return lanes.containsKey(id);
    }

    public int size() {
        return lanes.size();
    }

    /** How many of them run at other servers. */
    int remote() {
        return remote;
    }

    /** Those that run, and those that have ended but whose rows do not say so yet. */
    Long[] ids() {
        List<Long> all = new ArrayList<>(lanes.keySet());
        Stream.of(ends, shortEnds.ends(), endsAlone, unwritten).forEach(list -> list.forEach(end -> all.add(end.id())));
        return all.toArray(Long[]::new);
    }

    /**
     * Returns whether a row that waits is to be left alone: its task runs, or the end of that is still to be written. A user has put it
     * back, or it is the row of another task with the same id; claimed now, it would get that end.
     */
    public boolean isOurs(long id) {
        return contains(id) || ending.contains(id) || shortEnds.contains(id) || isUnwritten(id);
    }

    /** Returns whether anything is still to be written of a task: it runs, or its end is not in its row yet. */
    public boolean holds(long id) {
        return isOurs(id) || endsAlone.stream().anyMatch(end -> end.id() == id);
    }

    private boolean isUnwritten(long id) {
        return !unwritten.isEmpty() && unwritten.stream().anyMatch(end -> end.id() == id);
    }

    /** A task is ours from now on. */
    void took(long id, GroupQueue lane) {
        took(id, lane, null);
    }

    /** The same for a task of that owner; null for the scheduler's role. */
    void took(long id, GroupQueue lane, @Nullable String owner) {
        if (lanes.put(id, lane) == null && lane.key.isRemote()) remote++;
        Use use = new Use(owner, lane.key.isRemote());
        forgetUse(uses.put(id, use));
        counts.merge(use, 1, Integer::sum);
    }

    private void forgetUse(@Nullable Use use) {
        if (use != null) counts.computeIfPresent(use, (each, count) -> count > 1 ? count - 1 : null);
    }

    /** How many tasks of that owner run here, or at other servers. */
    int of(@Nullable String owner, boolean atOtherServers) {
        return counts.getOrDefault(new Use(owner, atOtherServers), 0);
    }

    /** It is cancelled when it has run for so long. */
    void limit(ClaimedTask task) {
        if (task.durationMillis() > 0)
            deadlines.put(task.id(), System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(task.durationMillis()));
    }

    /** Those that have run for longer than they may since this was last asked. */
    List<Long> takeOverdue(long now) {
        if (deadlines.isEmpty()) return List.of();
        List<Long> late = deadlines.entrySet().stream()
                .filter(each -> each.getValue() - now <= 0)
                .map(Map.Entry::getKey)
                .toList();
        deadlines.keySet().removeAll(late);
        overdue.addAll(late);
        return late;
    }

    /** When the next of them will have; null if there is none. */
    @Nullable
    Duration untilOverdue() {
        if (deadlines.isEmpty()) return null;
        long now = System.nanoTime();
        long first =
                deadlines.values().stream().mapToLong(each -> each - now).min().orElse(0);
        return Duration.ofNanos(Math.max(first, 0));
    }

    /** Its text runs in that session. */
    void began(long id, TaskSession session) {
        sessions.put(id, session);
    }

    /** It is done elsewhere than in a PostgreSQL, until it is cancelled. */
    void began(long id, Cancellation cancellation) {
        reaching.put(id, cancellation);
    }

    /** What stops a task that is done elsewhere than in a PostgreSQL; null for any other. */
    @Nullable
    Cancellation cancellation(long id) {
        return reaching.get(id);
    }

    /** Returns whether something is done elsewhere than in a PostgreSQL. */
    public boolean isReaching() {
        return !reaching.isEmpty();
    }

    /** Stops all that is done elsewhere than in a PostgreSQL; waits for nothing. */
    public void cancelReaching() {
        List.copyOf(reaching.values()).forEach(Cancellation::cancel);
    }

    /** The session in which it runs; null while there is none. */
    @Nullable
    TaskSession session(long id) {
        return sessions.get(id);
    }

    /** The task is to stop; false if it does not run (any more). */
    boolean stop(long id) {
        return contains(id) && stopped.add(id);
    }

    /** Returns whether the task is to stop, so that its session may be cancelled at any moment. */
    boolean isStopped(long id) {
        return stopped.contains(id);
    }

    private GroupQueue left(long id) {
        GroupQueue lane = lanes.remove(id);
        sessions.remove(id);
        reaching.remove(id);
        stopped.remove(id);
        deadlines.remove(id);
        overdue.remove(id);
        forgetUse(uses.remove(id));
        if (lane == null) throw new IllegalStateException("task " + id + " does not run");
        if (lane.key.isRemote()) remote--;
        return lane;
    }

    void arrived(Arrival arrival) {
        arrivals.add(arrival);
    }

    /** A task is no longer ours; it waits again. */
    GroupQueue gaveUp(long id) {
        returned.add(id);
        return left(id);
    }

    /** A task that was never ours waits again. */
    void gaveBack(long id) {
        returned.add(id);
    }

    /** A task could not begin: it cannot have a session. */
    GroupQueue failedToBegin(long id, String error) {
        endsAlone.add(new TaskResult(id, TaskState.FAIL, null, "", error));
        return left(id);
    }

    /**
     * A task has come to its end, or its session has.
     *
     * @param stopping whether what was cancelled is to run again
     */
    GroupQueue ended(ClaimedTask task, SessionResult end, boolean stopping) {
        if (end.written() != null) {
            losses.remove(task.id());
            if (end.written() != TaskState.DONE) marked.add(task.id());
            return left(task.id());
        }
        TaskResult outcome = end.outcome();
        if (isStopped(task.id()) && end.begun() && (end.cancelled() || outcome == null))
            outcome = stopped(task, outcome);
        else if (overdue.contains(task.id()) && end.begun() && (end.cancelled() || outcome == null))
            outcome = overdue(task, outcome);
        else if (stopping && end.cancelled()) outcome = null;
        else if (outcome == null && end.begun()) outcome = lost(task, end.detail());
        else losses.remove(task.id());
        if (outcome == null) returned.add(task.id());
        else {
            if (outcome.state() == TaskState.FAIL && !reaching.containsKey(task.id())) logFailure(outcome);
            add(task, outcome.in(pid(task.id())));
        }
        return left(task.id());
    }

    /** Where it is known that it ends so, and without the error itself, which may hold values that do not belong into a log. */
    private static void logFailure(TaskResult end) {
        String reason = end.sqlState() == null ? "the column error of its row says why" : "SQLSTATE " + end.sqlState();
        FAILURES.retry(ErrorText.of(reason), "task {} has failed", end.id());
    }

    private @Nullable Integer pid(long id) {
        TaskSession session = session(id);
        return session == null ? null : session.pid();
    }

    private void add(ClaimedTask task, TaskResult end) {
        if (task.endsAlone(end.state())) {
            endsAlone.add(end);
            return;
        }
        GroupQueue lane = lanes.get(end.id());
        if (lane != null && lane.isQuick()) {
            shortEnds.add(end, session(end.id()), lane.hasWaiting());
            return;
        }
        ends.add(end);
        ending.add(end.id());
    }

    private TaskResult stopped(ClaimedTask task, @Nullable TaskResult cancelled) {
        losses.remove(task.id());
        if (cancelled != null)
            return new TaskResult(
                            task.id(), TaskState.STOP, cancelled.stopMicros(), cancelled.output(), cancelled.error())
                    .with(cancelled.sqlState(), cancelled.notices());
        String error = ErrorFormatter.plain(
                "canceling statement due to user request", "It went on, and was ended with its session.");
        return new TaskResult(task.id(), TaskState.STOP, null, "", error);
    }

    private TaskResult overdue(ClaimedTask task, @Nullable TaskResult cancelled) {
        losses.remove(task.id());
        String error = ErrorFormatter.plain(
                "the task took longer than its duration of " + asInterval(Duration.ofMillis(task.durationMillis())),
                cancelled == null ? "It went on when it was cancelled, and was ended with its session." : null);
        return (cancelled == null ? new TaskResult(task.id(), TaskState.FAIL, null, "", error) : cancelled)
                .failed(error)
                .with("57014", cancelled == null ? null : cancelled.notices());
    }

    /** As PostgreSQL shows an interval. */
    private static String asInterval(Duration duration) {
        String whole = String.format(
                Locale.ROOT, "%02d:%02d:%02d", duration.toHours(), duration.toMinutesPart(), duration.toSecondsPart());
        int millis = duration.toMillisPart();
        return millis == 0
                ? whole
                : whole + String.format(Locale.ROOT, ".%03d", millis).replaceFirst("0+$", "");
    }

    private @Nullable TaskResult lost(ClaimedTask task, @Nullable String reason) {
        int times = losses.merge(task.id(), 1, Integer::sum);
        if (times < MAX_LOSSES) return null;
        losses.remove(task.id());
        String error = (reason == null ? "FATAL:  the session was lost" : reason)
                + "\nDETAIL:  The session of this task was lost " + times + " times in a row.";
        return new TaskResult(task.id(), TaskState.FAIL, null, "", error);
    }

    /** Ends to be written together with the next claims. */
    List<TaskResult> takeEnds() {
        List<TaskResult> all = ends;
        ends = new ArrayList<>();
        ending.clear();
        return all;
    }

    /** Ends of short tasks, which may wait for more of their kind. */
    public EndBuffer shortEnds() {
        return shortEnds;
    }

    /** All ends that do not change others. */
    public List<TaskResult> takeAllEnds() {
        List<TaskResult> all = takeEnds();
        all.addAll(shortEnds.take());
        return all;
    }

    /** Ends after which others change, to be written before anything else begins. */
    List<TaskResult> takeEndsAlone() {
        List<TaskResult> all = endsAlone;
        endsAlone = new ArrayList<>();
        return all;
    }

    /** Tasks to be given back. */
    List<Long> takeReturned() {
        List<Long> all = returned;
        returned = new ArrayList<>();
        return all;
    }

    /** Tasks that have written their end themselves, of which the scheduler's part is still to be written. */
    List<Long> takeMarked() {
        List<Long> all = marked;
        marked = new ArrayList<>();
        return all;
    }

    List<Arrival> takeArrivals() {
        List<Arrival> all = arrivals;
        arrivals = new ArrayList<>();
        return all;
    }

    /** Ends that could not be written yet: another session holds the row. */
    public List<TaskResult> unwritten() {
        return unwritten;
    }
}
