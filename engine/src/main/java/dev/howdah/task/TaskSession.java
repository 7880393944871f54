package dev.howdah.task;

import dev.howdah.Database;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.internal.wire.Pipeline;
import dev.howdah.internal.wire.ServerMessage;
import dev.howdah.internal.wire.WireConnection;
import dev.howdah.internal.wire.WireException;
import dev.howdah.internal.wire.WireListener;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
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

    static final SqlFile SQL = SqlFile.of(TaskSession.class, "session.sql");
    private static final String SETTINGS = SQL.text("settings");
    private static final String SETTINGS_WITH_TIMEOUT = SQL.text("settings_with_timeout");
    private static final String RESET_TIMEOUT = SQL.text("reset_timeout");
    private static final String RESET = SQL.text("reset") + ";\n";
    private static final String UNLOCK = SQL.text("unlock");
    private static final String AS_LOGIN = SQL.text("as_login");
    private static final String END_OTHERS = SQL.text("end_others");
    private static final String ENDING = SQL.text("ending") + ";\n";

    /**
     * What a text must have to leave a transaction open, to read what is sent behind it as data, or to want its error
     * shown otherwise.
     */
    private static final Pattern HOLDS_ON =
            Pattern.compile("begin|start|copy|log_error_verbosity|log_min_error_statement", Pattern.CASE_INSENSITIVE);

    private static final int LONG_TEXT = 10_000;

    /** How many statements {@link #settings} are. */
    private static final int GUARDS = 3;

    /**
     * What became of a task.
     *
     * @param outcome null if the session was lost: then nobody knows
     * @param begun whether its text has been sent
     * @param cancelled whether it was cancelled, by whomever
     * @param silent whether the session was lost without a word of the server, which may go on with the text
     * @param detail why the session was lost
     * @param written the state that the task has written into its row together with what it did, if it has: WORK where
     *     something is left to be done for it
     */
    record End(
            @Nullable Outcome outcome,
            boolean begun,
            boolean cancelled,
            boolean silent,
            @Nullable String detail,
            @Nullable TaskState written) {
        End(@Nullable Outcome outcome, boolean begun, boolean cancelled, boolean silent, @Nullable String detail) {
            this(outcome, begun, cancelled, silent, detail, null);
        }
    }

    private final WireConnection wire;
    private final String applicationPrefix;
    private final ErrorText remoteErrors;
    private final boolean remote;
    private final String writeEnd;
    private final @Nullable String owner;
    private final Set<LaneKey> served = new HashSet<>();
    private final long openedAt = System.nanoTime();
    private long begunAt;
    private long idleSince = System.nanoTime();
    private int firstMax;
    private int done;
    private boolean keepsState;
    private volatile boolean usable = true;
    private volatile @Nullable String givenUp;

    /**
     * @param owner whose rights it has; null for the scheduler's role
     * @param applicationPrefix what the session is called before the name of the group
     * @param remoteErrors how errors of a remote session are shown; a local session is asked for its own settings
     * @param writeEnd the statement with which a task writes down its own end
     */
    TaskSession(
            WireConnection wire,
            boolean remote,
            @Nullable String owner,
            String applicationPrefix,
            ErrorText remoteErrors,
            String writeEnd) {
        this.writeEnd = writeEnd;
        this.wire = wire;
        this.remote = remote;
        this.owner = owner;
        this.applicationPrefix = applicationPrefix;
        this.remoteErrors = remoteErrors;
    }

    int pid() {
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

    /** Whether tasks of that owner run in it; null stands for the scheduler's role. */
    boolean isOf(@Nullable String who) {
        return Objects.equals(owner, who);
    }

    /** Whose tasks run in it; null stands for the scheduler's role. */
    @Nullable
    String owner() {
        return owner;
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

    /**
     * Runs one task to its end; never throws. In a session of our own database everything is one write: the settings, on
     * whose success the server makes the rest depend; the text; and what ends it, where the text cannot be in its way.
     */
    End run(ClaimedTask task) {
        String complaint = refusal(task);
        if (complaint != null) return refuse(task, complaint);
        ResultText text = new ResultText(task, wire::charset, this::cancel);
        OnceTransaction once = task.once() ? new OnceTransaction(wire, writeEnd, text) : null;
        boolean sent = false;
        boolean begun = false;
        try {
            ServerMessage refused = remote ? prepareRemote(task) : null;
            if (refused != null) return notPrepared(refused);
            boolean ahead = once == null && !holdsOn(task.input());
            Pipeline pipeline = wire.pipeline();
            if (!remote) pipeline.guard(settings(task));
            pipeline.query(once == null ? task.input() : OnceTransaction.BEGIN);
            if (ahead) pipeline.query(ENDING + reset(task));
            sent = true;
            begun = remote;
            pipeline.send();
            refused = remote ? null : pipeline.guarded(GUARDS);
            if (refused != null) return notPrepared(refused);
            begun = true;
            if (once == null) {
                pipeline.next(text);
            } else {
                pipeline.next(new FirstRow());
                once.run(task);
            }
            return ended(task, text, once, finish(task, text, ahead ? pipeline : null));
        } catch (WireException e) {
            usable = false;
            // Silence says nothing about how far the server has come with what it was sent.
            boolean silent = sent && e.serverMessage() == null;
            return new End(null, begun || silent, false, silent, lossOf(e));
        } catch (RuntimeException | OutOfMemoryError e) {
            log.error("task {} could not be run", task.id(), e);
            abort();
            String error = ErrorText.plain("the task could not be run: " + e, null);
            return new End(new Outcome(task.id(), TaskState.FAIL, null, "", error), begun, false, false, null);
        }
    }

    /** Why a task cannot be run as it is; null if it can. */
    private @Nullable String refusal(ClaimedTask task) {
        // Half of a character of several bytes would make output that is no text.
        if (task.delimiter() < 0 || task.escape() < 0 || task.quote() < 0)
            return ErrorText.plain("delimiter, escape and quote take one ASCII character each", null);
        boolean plainBackslashes = !"off".equals(wire.parameter("standard_conforming_strings"));
        return task.once() ? OnceTransaction.refusal(task.input(), remote, plainBackslashes) : null;
    }

    private static End refuse(ClaimedTask task, String error) {
        return new End(new Outcome(task.id(), TaskState.FAIL, null, "", error), false, false, false, null);
    }

    private String lossOf(WireException e) {
        ServerMessage fatal = e.serverMessage();
        if (givenUp != null) return "FATAL:  " + givenUp;
        return fatal != null ? fatal.localizedSeverity() + ":  " + fatal.message() : "FATAL:  " + e.getMessage();
    }

    /** What tells a session of our own database whose it is, in a transaction of its own. */
    private List<Pipeline.Statement> settings(ClaimedTask task) {
        String name = applicationPrefix + task.lane().group();
        String id = Long.toString(task.id());
        String timeout = Integer.toString(task.timeoutMillis());
        return List.of(
                new Pipeline.Statement("BEGIN", List.of()),
                new Pipeline.Statement(
                        SETTINGS_WITH_TIMEOUT, List.of(name, id, task.lane().group(), timeout)),
                new Pipeline.Statement("COMMIT", List.of()));
    }

    /** The same for a remote session, which may lead through a proxy: in a round trip of its own. */
    private @Nullable ServerMessage prepareRemote(ClaimedTask task) throws WireException {
        FirstRow row = new FirstRow();
        String name = applicationPrefix + task.lane().group();
        String id = Long.toString(task.id());
        String group = task.lane().group();
        if (task.timeoutMillis() == 0) {
            // A remote server keeps its own default where the task says nothing (specification, section 15).
            if (done > 1) wire.query(RESET_TIMEOUT, row);
            wire.execute(SETTINGS, List.of(name, id, group), row);
        } else {
            String timeout = Integer.toString(task.timeoutMillis());
            wire.execute(SETTINGS_WITH_TIMEOUT, List.of(name, id, group, timeout), row);
        }
        return row.error;
    }

    private End notPrepared(ServerMessage refused) {
        abort();
        return new End(null, false, false, false, "the session cannot be prepared: " + refused.message());
    }

    /** Whether a text might leave a transaction open or read on: then nothing may be sent behind it before it has ended. */
    private static boolean holdsOn(String text) {
        return text.length() > LONG_TEXT || HOLDS_ON.matcher(text).find();
    }

    private End ended(ClaimedTask task, ResultText text, @Nullable OnceTransaction once, FirstRow ending) {
        String error = text.overflowed() ? overflow() : rendered(text, task, ending);
        if (once != null && once.failure() != null) error = once.failure();
        boolean cancelled = text.error() != null && "57014".equals(text.error().code());
        Long stop = remote || ending.values.isEmpty() ? null : Long.valueOf(ending.values.get(0));
        String output = text.output();
        if (error != null && output == null) output = "";
        TaskState state = error == null ? TaskState.DONE : TaskState.FAIL;
        TaskState written = once == null ? null : once.written();
        return new End(new Outcome(task.id(), state, stop, output, error), true, cancelled, false, null, written);
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

    private @Nullable String rendered(ResultText text, ClaimedTask task, FirstRow ending) {
        ServerMessage error = text.error();
        if (error == null) return null;
        if (remote) return remoteErrors.render(error, task.input());
        List<String> values = ending.values;
        ErrorText form = values.size() == 3 ? ErrorText.of(values.get(1), values.get(2)) : ErrorText.DEFAULT;
        return form.render(error, task.input());
    }

    /**
     * The end of a task, after its text; a session that does not come clean is not used again.
     *
     * @param sent what was sent already; null if nothing was
     */
    private FirstRow finish(ClaimedTask task, ResultText text, @Nullable Pipeline sent) throws WireException {
        FirstRow undone = new FirstRow();
        if (sent == null) {
            closeTransaction(text);
            undone = undoneForm(task, text);
        }
        FirstRow row = new FirstRow();
        try {
            Pipeline pipeline =
                    sent == null ? wire.pipeline().query(ENDING + reset(task)).send() : sent;
            pipeline.next(row);
            if (row.error != null || wire.transactionStatus() != 'I') abort();
        } catch (WireException e) {
            usable = false;
        }
        if (row.values.size() == 3 && undone.values.size() == 3)
            for (int i = 1; i < 3; i++) row.values.set(i, undone.values.get(i));
        return row;
    }

    /** How the session wanted its errors shown when a statement failed, where that was undone with its transaction. */
    private FirstRow undoneForm(ClaimedTask task, ResultText text) throws WireException {
        FirstRow form = new FirstRow();
        if (remote || text.error() == null) return form;
        String again = UndoneSettings.of(task.input(), text.completed());
        if (again.isEmpty()) return form;
        wire.query("BEGIN;" + again + ENDING, form);
        wire.query("ROLLBACK", new FirstRow());
        return form;
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

    /** Ends these sessions at the same server; says whether any is still there. */
    boolean endOthers(List<Sessions.Left> others) throws WireException {
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
    Sessions.Left left() {
        return new Sessions.Left(pid(), secondsOld());
    }

    /** For how many seconds it has been open; from any thread. */
    double secondsOld() {
        return (System.nanoTime() - openedAt) / 1e9;
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
