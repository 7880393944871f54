package dev.howdah.task.internal.session;

import dev.howdah.Database;
import dev.howdah.internal.wire.ServerMessage;
import dev.howdah.internal.wire.WireConnection;
import dev.howdah.internal.wire.WireException;
import dev.howdah.task.internal.model.ClaimedTask;
import dev.howdah.task.internal.model.GroupKey;
import dev.howdah.task.internal.model.SessionResult;
import dev.howdah.task.internal.output.OutputMemory;
import dev.howdah.task.internal.owner.SessionVersions;
import dev.howdah.task.internal.store.TaskSql;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One PostgreSQL session that runs tasks, one after the other. It never touches the table of tasks: what a task leaves
 * behind in its session cannot spoil the bookkeeping. {@link #run} belongs to one thread at a time; the figures about
 * what it has done belong to the scheduler's thread, which reads them only while nothing runs.
 */
public final class TaskSession {
    private static final Logger log = LoggerFactory.getLogger(TaskSession.class);

    private static final String AS_LOGIN = TaskSql.SESSION.text("session_as_login");
    private static final String END_OTHERS = TaskSql.SESSION.text("session_end_others");

    private final WireConnection wire;
    private final TaskExecution.Manner manner;
    private final @Nullable String owner;
    private final String version;
    private final Set<GroupKey> served = new HashSet<>();
    private final long openedAt = System.nanoTime();
    private long begunAt;
    private long idleSince = System.nanoTime();
    private long lingersUntil = System.nanoTime();
    private int firstMax;
    private int done;
    private boolean keepsState;
    private volatile boolean usable = true;
    private volatile @Nullable String givenUp;
    private volatile OutputMemory.@Nullable Share output;

    /**
     * @param owner whose rights it has; null for the scheduler's role
     * @param version what it has only from its beginning, as {@link SessionVersions} knows it
     */
    public TaskSession(WireConnection wire, @Nullable String owner, TaskExecution.Manner manner, String version) {
        this.version = version;
        this.wire = wire;
        this.owner = owner;
        this.manner = manner;
    }

    public int pid() {
        return wire.backendPid();
    }

    /** Where it is. */
    Database address() {
        return wire.address();
    }

    /** As {@link WireConnection#waitingSince}; from any thread. */
    long waitingSince() {
        return wire.waitingSince();
    }

    /** Returns whether tasks of that owner run in it; null stands for the scheduler's role. */
    public boolean isOf(@Nullable String who) {
        return Objects.equals(owner, who);
    }

    /** What it has only from its beginning, as {@link SessionVersions} knows it. */
    String version() {
        return version;
    }

    /** Whose tasks run in it; null stands for the scheduler's role. */
    @Nullable
    public String owner() {
        return owner;
    }

    @Nullable
    String parameter(String name) {
        return wire.parameter(name);
    }

    public boolean isUsable() {
        return usable && wire.isOpen();
    }

    /** How many tasks it has run for the lane that it serves now. */
    public int done() {
        return done;
    }

    /** Seconds since it began to serve its lane. */
    public double age() {
        return (System.nanoTime() - begunAt) / 1e9;
    }

    /** The {@code max} of the first task it ran for its lane. */
    public int firstMax() {
        return firstMax;
    }

    long idleNanos() {
        return System.nanoTime() - idleSince;
    }

    boolean hasServed(GroupKey lane) {
        return served.contains(lane);
    }

    /** A task is about to begin. */
    public void assigned(GroupKey lane, int max) {
        if (done == 0) {
            begunAt = System.nanoTime();
            firstMax = max;
        }
        done++;
        served.add(lane);
    }

    /** The task did not begin after all. */
    public void unassigned() {
        done--;
    }

    /** Returns whether the next task of its lane may count on what the last one has left. */
    public boolean keepsState() {
        return keepsState;
    }

    public void keepsState(boolean now) {
        keepsState = now;
    }

    /** It waits for the next task of its lane for so long. */
    public void lingers(long nanos) {
        lingersUntil = System.nanoTime() + nanos;
    }

    /** For how long it still waits for the next task of its lane; 0 or less if no longer. */
    public long nanosToLinger() {
        return lingersUntil - System.nanoTime();
    }

    /** No further task of the group uses it; from now on it is as good as new. */
    public void rested() {
        done = 0;
        keepsState = false;
        idleSince = System.nanoTime();
        if (served.size() > 64) served.clear();
    }

    /** Runs one task to its end; never throws. */
    public SessionResult run(ClaimedTask task) {
        return new TaskExecution(this, wire, manner, task, done <= 1).toEnd();
    }

    /** Makes a session that was kept for its lane as good as new; says whether that worked. */
    public boolean restore() {
        FirstRow row = new FirstRow();
        try {
            wire.query(TaskExecution.FULL_RESET, row);
            if (row.error != null) abort();
        } catch (WireException e) {
            usable = false;
        }
        return isUsable();
    }

    /** Ends these sessions at the same server; says whether any is still there. */
    boolean endOthers(List<SessionPool.Left> others) throws WireException {
        FirstRow row = new FirstRow();
        wire.query(AS_LOGIN, row);
        row = new FirstRow();
        String pids =
                others.stream().map(each -> Integer.toString(each.pid())).collect(Collectors.joining(",", "{", "}"));
        String ages =
                others.stream().map(each -> Double.toString(each.age())).collect(Collectors.joining(",", "{", "}"));
        wire.execute(END_OTHERS, List.of(pids, ages), row);
        ServerMessage refused = row.error;
        if (refused != null) throw WireException.of("sessions cannot be ended", refused);
        return !row.values.equals(List.of("0"));
    }

    /** Itself, for another session to end it. */
    public SessionPool.Left left() {
        return new SessionPool.Left(pid(), secondsOld());
    }

    /** For how many seconds it has been open; from any thread. */
    double secondsOld() {
        return (System.nanoTime() - openedAt) / 1e9;
    }

    /** The output of the task that it runs from now on may wait for that memory. */
    void waits(OutputMemory.Share memory) {
        output = memory;
    }

    /** Asks the server to cancel what runs; from any thread. */
    public void cancel() {
        OutputMemory.Share waits = output;
        if (waits != null) waits.giveUp();
        try {
            wire.cancel();
        } catch (IOException e) {
            log.warn("session {} could not be cancelled: {}", pid(), e.getMessage());
        }
    }

    /** No task runs in it any more, and the next one should not. */
    void spoil() {
        usable = false;
    }

    /** Why it was {@linkplain #giveUp given up}; null if it was not. */
    @Nullable
    String givenUp() {
        return givenUp;
    }

    /** Ends the session at once; from any thread. */
    public void abort() {
        usable = false;
        OutputMemory.Share waits = output;
        if (waits != null) waits.giveUp();
        wire.abort();
    }

    /** Ends the session at once, because its server does not answer; from any thread. */
    void giveUp(String reason) {
        givenUp = reason;
        abort();
    }

    /** Ends the session in good order. */
    void close() {
        usable = false;
        wire.close();
    }
}
