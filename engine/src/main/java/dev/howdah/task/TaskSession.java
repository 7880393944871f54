package dev.howdah.task;

import dev.howdah.internal.sql.SqlFile;
import dev.howdah.internal.wire.ServerMessage;
import dev.howdah.internal.wire.WireConnection;
import dev.howdah.internal.wire.WireException;
import dev.howdah.internal.wire.WireListener;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One PostgreSQL session that runs tasks, one after the other. It never touches the table of tasks: what a task leaves
 * behind in its session cannot spoil the bookkeeping. {@link #run} belongs to one thread at a time; the figures about
 * what it has done belong to the scheduler's thread, which reads them only while nothing runs.
 */
final class TaskSession {
    private static final Logger log = LoggerFactory.getLogger(TaskSession.class);

    private static final SqlFile SQL = SqlFile.of(TaskSession.class, "session.sql");
    private static final String SETTINGS = SQL.text("settings");
    private static final String SETTINGS_WITH_TIMEOUT = SQL.text("settings_with_timeout");
    private static final String RESET_TIMEOUT = SQL.text("reset_timeout");
    private static final String ERROR_FORM = SQL.text("error_form");
    private static final String RESET = SQL.text("reset") + ";\n";
    private static final String UNLOCK = SQL.text("unlock");
    private static final String END_OTHERS = SQL.text("end_others");
    private static final String CLOCK = SQL.text("clock") + ";\n";

    /**
     * What became of a task.
     *
     * @param outcome null if the session was lost: then nobody knows
     * @param begun whether its text has been sent
     * @param cancelled whether it was cancelled, by whomever
     * @param silent whether the session was lost without a word of the server, which may go on with the text
     * @param detail why the session was lost
     */
    record End(
            @Nullable Outcome outcome,
            boolean begun,
            boolean cancelled,
            boolean silent,
            @Nullable String detail) {}

    private final WireConnection wire;
    private final String applicationPrefix;
    private final ErrorText remoteErrors;
    private final boolean remote;
    private final Set<LaneKey> served = new HashSet<>();
    private long begunAt;
    private long idleSince = System.nanoTime();
    private int firstMax;
    private int done;
    private boolean keepsState;
    private volatile boolean usable = true;

    /**
     * @param applicationPrefix what the session is called before the name of the group
     * @param remoteErrors how errors of a remote session are shown; a local session is asked for its own settings
     */
    TaskSession(WireConnection wire, boolean remote, String applicationPrefix, ErrorText remoteErrors) {
        this.wire = wire;
        this.remote = remote;
        this.applicationPrefix = applicationPrefix;
        this.remoteErrors = remoteErrors;
    }

    int pid() {
        return wire.backendPid();
    }

    @Nullable
    String parameter(String name) {
        return wire.parameter(name);
    }

    boolean isUsable() {
        return usable && wire.isOpen();
    }

    /** How many tasks it has run for the lane that it serves now. */
    int done() {
        return done;
    }

    /** Seconds since it began to serve its lane. */
    double age() {
        return (System.nanoTime() - begunAt) / 1e9;
    }

    /** The {@code max} of the first task it ran for its lane. */
    int firstMax() {
        return firstMax;
    }

    long idleNanos() {
        return System.nanoTime() - idleSince;
    }

    boolean hasServed(LaneKey lane) {
        return served.contains(lane);
    }

    /** A task is about to begin. */
    void assigned(LaneKey lane, int max) {
        if (done == 0) {
            begunAt = System.nanoTime();
            firstMax = max;
        }
        done++;
        served.add(lane);
    }

    /** The task did not begin after all. */
    void unassigned() {
        done--;
    }

    /** Whether the next task of its lane may count on what the last one has left. */
    boolean keepsState() {
        return keepsState;
    }

    void keepsState(boolean now) {
        keepsState = now;
    }

    /** Nobody goes on with it; from now on it is as good as new. */
    void rested() {
        done = 0;
        keepsState = false;
        idleSince = System.nanoTime();
        if (served.size() > 64) served.clear();
    }

    /** Runs one task to its end; never throws. */
    End run(ClaimedTask task) {
        if (task.delimiter() < 0 || task.escape() < 0 || task.quote() < 0) return refuse(task);
        ResultText text = new ResultText(task, wire::charset, this::cancel);
        boolean begun = false;
        try {
            String refusal = prepare(task);
            if (refusal != null) return new End(null, false, false, false, refusal);
            begun = true;
            wire.query(task.input(), text);
            closeTransaction(text);
            String error = text.overflowed() ? overflow() : rendered(text, task);
            boolean cancelled =
                    text.error() != null && "57014".equals(text.error().code());
            Long stop = finish(task);
            String output = text.output();
            if (error != null && output == null) output = "";
            TaskState state = error == null ? TaskState.DONE : TaskState.FAIL;
            return new End(new Outcome(task.id(), state, stop, output, error), true, cancelled, false, null);
        } catch (WireException e) {
            usable = false;
            return new End(null, begun, false, begun && e.serverMessage() == null, lossOf(e));
        } catch (RuntimeException | OutOfMemoryError e) {
            log.error("task {} could not be run", task.id(), e);
            abort();
            String error = ErrorText.plain("the task could not be run: " + e, null);
            return new End(new Outcome(task.id(), TaskState.FAIL, null, "", error), begun, false, false, null);
        }
    }

    /** Half of a character of several bytes would make output that is no text. */
    private static End refuse(ClaimedTask task) {
        String error = ErrorText.plain("delimiter, escape and quote take one ASCII character each", null);
        return new End(new Outcome(task.id(), TaskState.FAIL, null, "", error), false, false, false, null);
    }

    private static String lossOf(WireException e) {
        ServerMessage fatal = e.serverMessage();
        return fatal != null ? fatal.localizedSeverity() + ":  " + fatal.message() : "FATAL:  " + e.getMessage();
    }

    /** Tells the session whose it is; says why if it cannot be told. */
    private @Nullable String prepare(ClaimedTask task) throws WireException {
        FirstRow row = new FirstRow();
        String name = applicationPrefix + task.lane().group();
        String id = Long.toString(task.id());
        String group = task.lane().group();
        // A remote server keeps its own default where the task says nothing (specification, section 15).
        if (remote && task.timeoutMillis() == 0) {
            if (done > 1) wire.query(RESET_TIMEOUT, row);
            wire.execute(SETTINGS, List.of(name, id, group), row);
        } else {
            String timeout = Integer.toString(task.timeoutMillis());
            wire.execute(SETTINGS_WITH_TIMEOUT, List.of(name, id, group, timeout), row);
        }
        ServerMessage refused = row.error;
        if (refused == null) return null;
        abort();
        return "the session cannot be prepared: " + refused.message();
    }

    private void closeTransaction(ResultText text) throws WireException {
        if (wire.transactionStatus() == 'I') return;
        boolean commit = wire.transactionStatus() == 'T' && !text.overflowed();
        wire.query(commit ? "COMMIT" : "ROLLBACK", new WireListener() {
            @Override
            public void error(ServerMessage message) {
                text.error(message);
            }
        });
    }

    private static String overflow() {
        return ErrorText.plain(
                "output is larger than " + ResultText.LIMIT_BYTES / 1024 / 1024 + " MB",
                "The task was cancelled and its output dropped.");
    }

    private @Nullable String rendered(ResultText text, ClaimedTask task) throws WireException {
        ServerMessage error = text.error();
        if (error == null) return null;
        if (remote) return remoteErrors.render(error, task.input());
        FirstRow settings = new FirstRow();
        String again = UndoneSettings.of(task.input(), text.completed());
        if (again.isEmpty()) {
            wire.query(ERROR_FORM, settings);
        } else {
            wire.query("BEGIN;" + again + ERROR_FORM, settings);
            wire.query("ROLLBACK", new FirstRow());
        }
        ErrorText form = settings.values.size() == 2
                ? ErrorText.of(settings.values.get(0), settings.values.get(1))
                : ErrorText.DEFAULT;
        return form.render(error, task.input());
    }

    /** Reads the clock and makes the session what the next task may find; a session that cannot is not used again. */
    private @Nullable Long finish(ClaimedTask task) {
        FirstRow row = new FirstRow();
        try {
            wire.query(CLOCK + reset(task), row);
            if (row.error != null) abort();
        } catch (WireException e) {
            usable = false;
        }
        return remote || row.values.isEmpty() ? null : Long.valueOf(row.values.get(0));
    }

    /** Another server's session forgets its advisory locks as well, as with DISCARD ALL (specification, section 10). */
    private String reset(ClaimedTask task) {
        if (!task.mayGoOn() || remote && !task.save()) return RESET + UNLOCK;
        return task.save() ? "" : RESET;
    }

    /** Makes a session that was kept for its lane as good as new; says whether that worked. */
    boolean restore() {
        FirstRow row = new FirstRow();
        try {
            wire.query(RESET + UNLOCK, row);
            if (row.error != null) abort();
        } catch (WireException e) {
            usable = false;
        }
        return isUsable();
    }

    /** Ends these sessions at the same server if they ran tasks of the same table; says whether any is still there. */
    boolean endOthers(String pids) throws WireException {
        FirstRow row = new FirstRow();
        wire.execute(END_OTHERS, List.of(pids), row);
        return !row.values.isEmpty() && row.error == null;
    }

    /** Asks the server to cancel what runs; from any thread. */
    void cancel() {
        try {
            wire.cancel();
        } catch (IOException e) {
            log.warn("session {} could not be cancelled: {}", pid(), e.getMessage());
        }
    }

    /** Ends the session at once; from any thread. */
    void abort() {
        usable = false;
        wire.abort();
    }

    /** Ends the session in good order. */
    void close() {
        usable = false;
        wire.close();
    }

    /** The values of the first row, as text, and the error if there was one. */
    private static final class FirstRow implements WireListener {
        private final List<String> values = new ArrayList<>();
        private @Nullable ServerMessage error;

        @Override
        public void row(byte[] buffer, int[] offsets, int[] lengths) {
            if (!values.isEmpty()) return;
            for (int i = 0; i < lengths.length; i++)
                values.add(new String(buffer, offsets[i], Math.max(lengths[i], 0), StandardCharsets.US_ASCII));
        }

        @Override
        public void error(ServerMessage message) {
            error = message;
        }
    }
}
