package dev.howdah.task.internal.session;

import dev.howdah.internal.wire.ServerMessage;
import dev.howdah.internal.wire.WireConnection;
import dev.howdah.internal.wire.WireException;
import dev.howdah.internal.wire.WireListener;
import dev.howdah.internal.wire.WirePipeline;
import dev.howdah.task.TaskState;
import dev.howdah.task.internal.model.ClaimedTask;
import dev.howdah.task.internal.model.SessionResult;
import dev.howdah.task.internal.model.TaskResult;
import dev.howdah.task.internal.output.ErrorFormatter;
import dev.howdah.task.internal.output.OutputMemory;
import dev.howdah.task.internal.output.ResultFormatter;
import dev.howdah.task.internal.store.TaskSql;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The exchange in a session for one task: its settings, its text, what ends it, and what its successor must not see. For
 * one thread, and used once.
 */
public final class TaskExecution {
    private static final Logger log = LoggerFactory.getLogger(TaskExecution.class);

    private static final String SETTINGS = TaskSql.SESSION.text("session_settings");
    private static final String SETTINGS_WITH_TIMEOUT = TaskSql.SESSION.text("session_settings_with_timeout");
    private static final String RESET_TIMEOUT = TaskSql.SESSION.text("session_reset_timeout");
    private static final String RESET = TaskSql.SESSION.text("session_reset") + ";\n";
    private static final String ENDING = TaskSql.SESSION.text("session_ending") + ";\n";

    /** Makes a session as good as new. */
    static final String FULL_RESET = RESET + TaskSql.SESSION.text("session_unlock");

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
     * The things that all tasks of a session share.
     *
     * @param remote whether it is at another server
     * @param applicationPrefix what the session is called before the name of the group
     * @param remoteErrors how errors of a remote session are shown; a local session is asked for its own settings
     * @param writeEnd the statement with which a task writes down its own end
     * @param outputs the memory for what tasks answer
     */
    public record Manner(
            boolean remote,
            String applicationPrefix,
            ErrorFormatter remoteErrors,
            String writeEnd,
            OutputMemory.Outputs outputs) {}

    private final TaskSession session;
    private final WireConnection wire;
    private final Manner manner;
    private final ClaimedTask task;
    private final boolean remote;
    private final boolean first;

    /** @param first whether no other task has run in the session for this lane */
    TaskExecution(TaskSession session, WireConnection wire, Manner manner, ClaimedTask task, boolean first) {
        this.session = session;
        this.wire = wire;
        this.manner = manner;
        this.task = task;
        this.remote = manner.remote();
        this.first = first;
    }

    /**
     * Runs the task to its end; never throws. In a session of our own database everything is one write: the settings, on
     * whose success the server makes the rest depend; the text; and what ends it, where the text cannot be in its way.
     */
    SessionResult toEnd() {
        String complaint = refusal();
        if (complaint != null) return SessionResult.refused(task, complaint);
        OutputMemory.Share memory = manner.outputs().begin(task.id());
        session.waits(memory);
        ResultFormatter text = new ResultFormatter(task, wire::charset, memory, session::cancel);
        try {
            return toEnd(text);
        } finally {
            memory.ended();
        }
    }

    private SessionResult toEnd(ResultFormatter text) {
        ExactlyOnceTransaction once = task.once() ? new ExactlyOnceTransaction(wire, manner.writeEnd(), text) : null;
        boolean sent = false;
        boolean begun = false;
        try {
            ServerMessage refused = remote ? prepareRemote() : null;
            if (refused != null) return notPrepared(refused);
            boolean ahead = once == null && !holdsOn(task.input());
            WirePipeline pipeline = wire.pipeline();
            if (!remote) pipeline.guard(settings());
            pipeline.query(once == null ? task.input() : ExactlyOnceTransaction.BEGIN);
            if (ahead) pipeline.query(ENDING + reset());
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
            FirstRow ending = finish(text, ahead ? pipeline : null);
            if (once == null || once.passing() == null) return ended(text, once, ending);
            log.warn("task {} was rolled back and runs again: {}", task.id(), once.passing());
            // A new session takes a moment: what the server lacks is not asked for without a pause.
            session.abort();
            return new SessionResult(null, false, false, false, once.passing());
        } catch (WireException e) {
            session.spoil();
            // Silence says nothing about how far the server has come with what it was sent.
            boolean silent = sent && e.serverMessage() == null;
            return new SessionResult(null, begun || silent, false, silent, lossOf(e));
        } catch (RuntimeException | OutOfMemoryError e) {
            log.error("task {} could not be run", task.id(), e);
            session.abort();
            String error = ErrorFormatter.plain("the task could not be run: " + e, null);
            return SessionResult.failed(task, begun, error);
        }
    }

    /** Why a task cannot be run as it is; null if it can. */
    private @Nullable String refusal() {
        // Half of a character of several bytes would make output that is no text.
        if (task.delimiter() < 0 || task.escape() < 0 || task.quote() < 0)
            return ErrorFormatter.plain("delimiter, escape and quote take one ASCII character each", null);
        boolean plainBackslashes = !"off".equals(wire.parameter("standard_conforming_strings"));
        return task.once() ? ExactlyOnceTransaction.refusal(task.input(), remote, plainBackslashes) : null;
    }

    private String lossOf(WireException e) {
        ServerMessage fatal = e.serverMessage();
        if (session.givenUp() != null) return "FATAL:  " + session.givenUp();
        return fatal != null ? fatal.localizedSeverity() + ":  " + fatal.message() : "FATAL:  " + e.getMessage();
    }

    /** What tells a session of our own database whose it is, in a transaction of its own. */
    private List<WirePipeline.Statement> settings() {
        String name = manner.applicationPrefix() + task.lane().group();
        String id = Long.toString(task.id());
        String timeout = Integer.toString(task.timeoutMillis());
        return List.of(
                new WirePipeline.Statement("BEGIN", List.of()),
                new WirePipeline.Statement(
                        SETTINGS_WITH_TIMEOUT, List.of(name, id, task.lane().group(), timeout)),
                new WirePipeline.Statement("COMMIT", List.of()));
    }

    /** The same for a remote session, which may lead through a proxy: in a round trip of its own. */
    private @Nullable ServerMessage prepareRemote() throws WireException {
        FirstRow row = new FirstRow();
        String name = manner.applicationPrefix() + task.lane().group();
        String id = Long.toString(task.id());
        String group = task.lane().group();
        if (task.timeoutMillis() == 0) {
            // A remote server keeps its own default where the task says nothing.
            if (!first) wire.query(RESET_TIMEOUT, row);
            wire.execute(SETTINGS, List.of(name, id, group), row);
        } else {
            String timeout = Integer.toString(task.timeoutMillis());
            wire.execute(SETTINGS_WITH_TIMEOUT, List.of(name, id, group, timeout), row);
        }
        return row.error;
    }

    private SessionResult notPrepared(ServerMessage refused) {
        session.abort();
        return new SessionResult(null, false, false, false, "the session cannot be prepared: " + refused.message());
    }

    /** Returns whether a text might leave a transaction open or read on: then nothing may be sent behind it before it has ended. */
    private static boolean holdsOn(String text) {
        return text.length() > LONG_TEXT || HOLDS_ON.matcher(text).find();
    }

    private SessionResult ended(ResultFormatter text, @Nullable ExactlyOnceTransaction once, FirstRow ending) {
        String error = text.overflow() != null ? overflow(text) : rendered(text, ending);
        if (once != null && once.failure() != null) error = once.failure();
        boolean cancelled = text.error() != null && "57014".equals(text.error().code());
        Long stop = remote || ending.values.isEmpty() ? null : Long.valueOf(ending.values.get(0));
        String output = text.output();
        if (error != null && output == null) output = "";
        TaskState state = error == null ? TaskState.DONE : TaskState.FAIL;
        TaskState written = once == null ? null : once.written();
        TaskResult result = new TaskResult(task.id(), state, stop, output, error)
                .with(
                        error == null || text.error() == null
                                ? null
                                : text.error().code(),
                        text.notices());
        return new SessionResult(result, true, cancelled, false, null, written);
    }

    private void closeTransaction(ResultFormatter text) throws WireException {
        if (wire.transactionStatus() == 'I') return;
        boolean commit = wire.transactionStatus() == 'T' && text.overflow() == null;
        wire.query(commit ? "COMMIT" : "ROLLBACK", new WireListener() {
            @Override
            public void error(ServerMessage message) {
                text.error(message);
            }
        });
    }

    private static String overflow(ResultFormatter text) {
        return ErrorFormatter.plain(String.valueOf(text.overflow()), "The task was cancelled and its output dropped.");
    }

    private @Nullable String rendered(ResultFormatter text, FirstRow ending) {
        ServerMessage error = text.error();
        if (error == null) return null;
        if (remote) return manner.remoteErrors().render(error, task.input());
        List<String> values = ending.values;
        ErrorFormatter form =
                values.size() == 3 ? ErrorFormatter.of(values.get(1), values.get(2)) : ErrorFormatter.DEFAULT;
        return form.render(error, task.input());
    }

    /**
     * The end of a task, after its text; a session that does not come clean is not used again.
     *
     * @param sent what was sent already; null if nothing was
     */
    private FirstRow finish(ResultFormatter text, @Nullable WirePipeline sent) throws WireException {
        FirstRow undone = new FirstRow();
        if (sent == null) {
            closeTransaction(text);
            undone = undoneForm(text);
        }
        FirstRow row = new FirstRow();
        try {
            WirePipeline pipeline =
                    sent == null ? wire.pipeline().query(ENDING + reset()).send() : sent;
            pipeline.next(row);
            if (row.error != null || wire.transactionStatus() != 'I') session.abort();
        } catch (WireException e) {
            session.spoil();
        }
        if (row.values.size() == 3 && undone.values.size() == 3)
            for (int i = 1; i < 3; i++) row.values.set(i, undone.values.get(i));
        return row;
    }

    /** How the session wanted its errors shown when a statement failed, where that was undone with its transaction. */
    private FirstRow undoneForm(ResultFormatter text) throws WireException {
        FirstRow form = new FirstRow();
        if (remote || text.error() == null) return form;
        String again = RolledBackSettings.of(task.input(), text.completed());
        if (again.isEmpty()) return form;
        wire.query("BEGIN;" + again + ENDING, form);
        wire.query("ROLLBACK", new FirstRow());
        return form;
    }

    /** Another server's session forgets its advisory locks as well, as with DISCARD ALL. */
    private String reset() {
        if (!task.mayGoOn() || remote && !task.save()) return FULL_RESET;
        return task.save() ? "" : RESET;
    }
}
