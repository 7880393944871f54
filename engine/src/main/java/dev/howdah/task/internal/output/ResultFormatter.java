package dev.howdah.task.internal.output;

import dev.howdah.internal.wire.ServerMessage;
import dev.howdah.internal.wire.WireColumn;
import dev.howdah.internal.wire.WireListener;
import dev.howdah.task.internal.model.ClaimedTask;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Renders what the server answers to one task's input, the way the extension does: rows as
 * lines, tags of statements without rows, names above rows of more than one column. Used by one thread.
 */
public final class ResultFormatter implements WireListener {
    static final int NOTICES_CHARACTERS = 65_536;

    /** bit, bool, cid, float4, float8, int2, int4, int8, numeric, oid, tid, xid: quoted only when everything is. */
    private static final Set<Integer> UNQUOTED = Set.of(1560, 16, 29, 700, 701, 21, 23, 20, 1700, 26, 27, 28);

    private final ClaimedTask task;
    private final Supplier<Charset> charset;
    private final OutputMemory.Share memory;
    private final Runnable onOverflow;
    private final TextBuffer text = new TextBuffer();
    private final byte[] nullText;
    private List<WireColumn> columns = List.of();
    private boolean[] quoted = {};
    private boolean described;
    private boolean rowsSeen;
    private boolean copied;
    private boolean appended;
    private @Nullable String overflow;
    private int completed;
    private int rowsFrom;
    private boolean appendedBefore;
    private @Nullable ServerMessage error;
    private final StringBuilder notices = new StringBuilder();
    private boolean noticesCut;

    /**
     * @param charset the encoding of the session at the moment of the call
     * @param memory that it takes
     * @param onOverflow called once when there is no memory for the output
     */
    public ResultFormatter(
            ClaimedTask task, Supplier<Charset> charset, OutputMemory.Share memory, Runnable onOverflow) {
        this.memory = memory;
        this.task = task;
        this.charset = charset;
        this.onOverflow = onOverflow;
        this.nullText = task.nullText().getBytes(StandardCharsets.UTF_8);
    }

    /** All output so far; null if nothing at all was appended. An empty line counts as something. */
    @Nullable
    public String output() {
        // Text of PostgreSQL holds no NUL, but COPY in binary may give one.
        return appended ? text.toString().replace('\0', '\uFFFD') : null;
    }

    /** How many statements have ended well. */
    public int completed() {
        return completed;
    }

    /** Why the output was dropped, and the task cancelled; null if it was not. */
    @Nullable
    public String overflow() {
        return overflow;
    }

    @Nullable
    public ServerMessage error() {
        return error;
    }

    @Override
    public void columns(List<WireColumn> now) {
        columns = now;
        described = true;
        rowsSeen = false;
        rowsFrom = text.size();
        appendedBefore = appended;
        quoted = new boolean[now.size()];
        for (int i = 0; i < quoted.length; i++)
            quoted[i] = task.quote() != 0
                    && (!task.string() || !UNQUOTED.contains(now.get(i).typeOid()));
    }

    @Override
    public void row(byte[] buffer, int[] offsets, int[] lengths) {
        if (overflow != null) return;
        if (!rowsSeen && task.header() && columns.size() > 1) header();
        rowsSeen = true;
        line();
        for (int i = 0; i < columns.size(); i++) {
            if (i > 0) delimiter();
            if (lengths[i] < 0) text.append(nullText, 0, nullText.length);
            else value(buffer, offsets[i], lengths[i], quoted[i]);
        }
        checkSize();
    }

    private void header() {
        line();
        for (int i = 0; i < columns.size(); i++) {
            if (i > 0) delimiter();
            byte[] name = columns.get(i).name().getBytes(StandardCharsets.UTF_8);
            append(name, 0, name.length, task.quote() != 0);
        }
    }

    private void value(byte[] buffer, int offset, int length, boolean quote) {
        Charset current = charset.get();
        if (current.equals(StandardCharsets.UTF_8)) {
            append(buffer, offset, length, quote);
        } else {
            byte[] utf8 = new String(buffer, offset, length, current).getBytes(StandardCharsets.UTF_8);
            append(utf8, 0, utf8.length, quote);
        }
    }

    private void append(byte[] value, int offset, int length, boolean quote) {
        if (!quote) {
            text.append(value, offset, length);
            return;
        }
        byte mark = (byte) task.quote();
        byte escape = (byte) task.escape();
        text.append(mark);
        for (int i = offset; i < offset + length; i++) {
            if (escape != 0 && (value[i] == mark || value[i] == escape)) text.append(escape);
            text.append(value[i]);
        }
        text.append(mark);
    }

    private void delimiter() {
        if (task.delimiter() != 0) text.append((byte) task.delimiter());
    }

    @Override
    public void complete(String tag) {
        boolean silent = described || copied;
        completed++;
        columns = List.of();
        described = false;
        copied = false;
        if (silent || overflow != null) return;
        line();
        byte[] bytes = tag.getBytes(StandardCharsets.UTF_8);
        text.append(bytes, 0, bytes.length);
    }

    @Override
    public void copyData(byte[] buffer, int offset, int length) {
        copied = true;
        if (overflow != null) return;
        line();
        boolean newline = length > 0 && buffer[offset + length - 1] == '\n';
        text.append(buffer, offset, newline ? length - 1 : length);
        checkSize();
    }

    @Override
    public void notice(ServerMessage message) {
        if (noticesCut) return;
        if (!notices.isEmpty()) notices.append('\n');
        notices.append(ErrorFormatter.NOTICE.render(message, ""));
        if (notices.length() <= NOTICES_CHARACTERS) return;
        noticesCut = true;
        int end = Character.isHighSurrogate(notices.charAt(NOTICES_CHARACTERS - 1))
                ? NOTICES_CHARACTERS - 1
                : NOTICES_CHARACTERS;
        notices.setLength(end);
        notices.append("\n...");
    }

    /** What was raised below an error, at most {@link #NOTICES_CHARACTERS} characters of it; null if nothing was. */
    public @Nullable String notices() {
        return notices.isEmpty() ? null : notices.toString().replace('\0', '\uFFFD');
    }

    @Override
    public void error(ServerMessage message) {
        if (error == null) error = message;
        if (!described || overflow != null || !task.lane().isRemote()) return;
        // A client of another server's has a result whole or not at all.
        text.truncate(rowsFrom);
        appended = appendedBefore;
    }

    /** Begins a line: every piece but the first stands behind a newline. */
    private void line() {
        if (appended) text.append((byte) '\n');
        appended = true;
    }

    @Override
    public boolean leavesOut(int length) {
        if (overflow == null) take(text.size() + (long) length);
        return overflow != null;
    }

    private void checkSize() {
        if (overflow == null) take(text.size());
    }

    private void take(long size) {
        String refusal = memory.take(size);
        if (refusal == null) return;
        text.clear();
        memory.drop();
        overflow = refusal;
        onOverflow.run();
    }
}
