package dev.howdah.task.internal.session;

import dev.howdah.internal.sql.TransactionControl;
import dev.howdah.internal.wire.ServerMessage;
import dev.howdah.internal.wire.WireColumn;
import dev.howdah.internal.wire.WireConnection;
import dev.howdah.internal.wire.WireException;
import dev.howdah.internal.wire.WireListener;
import dev.howdah.task.TaskState;
import dev.howdah.task.internal.model.ClaimedTask;
import dev.howdah.task.internal.output.ErrorFormatter;
import dev.howdah.task.internal.output.ResultFormatter;
import dev.howdah.task.internal.store.TaskSql;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One transaction for what a task does and for its end: the row of the task says DONE if, and only if, the effects are
 * there. When the connection breaks it is unknown here whether the transaction was committed; the row does. A task that
 * fails is rolled back, and its scheduler writes that down. For one task and one thread.
 */
final class ExactlyOnceTransaction {
    /** Goes before the text. */
    static final String BEGIN = TaskSql.SESSION.text("session_once");

    private static final String UTF8 = TaskSql.SESSION.text("session_utf8");

    private final WireConnection wire;
    private final String done;
    private final ResultFormatter text;
    private @Nullable String failure;
    private @Nullable TaskState written;
    private @Nullable String passing;

    /** @param done the statement that writes the end into the row */
    ExactlyOnceTransaction(WireConnection wire, String done, ResultFormatter text) {
        this.wire = wire;
        this.done = done;
        this.text = text;
    }

    /**
     * Why a text cannot be run in one transaction with its end; null if it can.
     *
     * @param plainBackslashes whether the server's {@code standard_conforming_strings} is on
     */
    static @Nullable String refusal(String input, boolean remote, boolean plainBackslashes) {
        if (remote)
            return ErrorFormatter.plain(
                    "a task with a remote cannot be run with once",
                    "What it does there and its end here cannot be committed together.");
        String found = TransactionControl.find(input, plainBackslashes);
        return found == null
                ? null
                : ErrorFormatter.plain(
                        "a task with once cannot begin or end transactions itself: " + found,
                        "What it does and its end are committed together.");
    }

    /** After {@link #BEGIN}: runs the task's text and commits it together with its end, or nothing at all. */
    void run(ClaimedTask task) throws WireException {
        Tags tags = new Tags();
        wire.query(task.input(), tags);
        if (text.error() == null && text.overflow() == null) end(task, tags);
        if (wire.transactionStatus() != 'I') wire.query("ROLLBACK", new FirstRow());
    }

    private void end(ClaimedTask task, Tags tags) throws WireException {
        if (wire.transactionStatus() != 'T' || tags.hasAny("COMMIT", "PREPARE TRANSACTION")) {
            failure = ended();
            return;
        }
        if (!wire.charset().equals(StandardCharsets.UTF_8)) wire.query(UTF8, new FirstRow());
        FirstRow answer = new FirstRow();
        wire.execute(done, Arrays.asList(Long.toString(task.id()), text.output()), answer);
        if (answer.error != null) {
            notWritten(answer.error);
        } else if (!answer.values.get(1).equals("on") && tags.hasAny("ROLLBACK")) {
            failure = ended();
        } else {
            commit(TaskState.valueOf(answer.values.get(0)));
        }
    }

    private void commit(TaskState state) throws WireException {
        FirstRow answer = new FirstRow();
        wire.query("COMMIT", answer);
        if (answer.error == null) written = state;
        else if (passes(answer.error)) passing = answer.error.message();
        else text.error(answer.error);
    }

    /**
     * The server has run out of room, could not write, or has chosen this transaction of several that were in each other's way:
     * what the task did was rolled back, and it is to run again.
     */
    private static boolean passes(ServerMessage error) {
        return error.code().matches("53[012]00|58030|40001|40P01");
    }

    private void notWritten(ServerMessage error) {
        if (passes(error)) passing = error.message();
        else if (error.code().equals("57014")) text.error(error); // cancelled, or out of time
        else
            failure = ErrorFormatter.plain(
                    "the end of the task could not be written: " + error.message(),
                    error.detail() == null ? "What it did was rolled back." : error.detail());
    }

    private static String ended() {
        return ErrorFormatter.plain(
                "a task with once has ended its transaction itself",
                "What it did before may be committed, and what it did afterwards was rolled back.");
    }

    /** Why it could not be committed, unless that was an error of the task's own text; null if that was not so. */
    @Nullable
    String failure() {
        return failure;
    }

    /** Why its end could not be written though nothing is wrong with it: nothing of it was done; null if that was not so. */
    @Nullable
    String passing() {
        return passing;
    }

    /** The state that was committed with the effects; null if nothing was. */
    @Nullable
    TaskState written() {
        return written;
    }

    /** Passes everything on, and remembers the tags of statements that control transactions. */
    private final class Tags implements WireListener {
        private final List<String> seen = new ArrayList<>();

        boolean hasAny(String... tags) {
            return Arrays.stream(tags).anyMatch(seen::contains);
        }

        @Override
        public void columns(List<WireColumn> columns) {
            text.columns(columns);
        }

        @Override
        public void row(byte[] buffer, int[] offsets, int[] lengths) {
            text.row(buffer, offsets, lengths);
        }

        @Override
        public void complete(String tag) {
            if (tag.matches("COMMIT|ROLLBACK|PREPARE TRANSACTION")) seen.add(tag);
            text.complete(tag);
        }

        @Override
        public void copyData(byte[] buffer, int offset, int length) {
            text.copyData(buffer, offset, length);
        }

        @Override
        public void error(ServerMessage message) {
            text.error(message);
        }
    }
}
