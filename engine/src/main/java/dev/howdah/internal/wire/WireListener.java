package dev.howdah.internal.wire;

import java.util.List;

/**
 * Is told what the server answers, in the order in which it answers, on the thread that asked. An exception thrown
 * by a listener ends the connection, as the rest of the answer is then unread.
 */
public interface WireListener {
    /** Shorter messages are read without a question. */
    int LONG = 64 * 1024;

    /** A result with these columns begins. */
    default void columns(List<WireColumn> columns) {}

    /**
     * A row, or a piece of the output of COPY, of so many bytes is about to be read, more than {@link #LONG}: true to leave it out. May wait.
     */
    default boolean leavesOut(int length) {
        return false;
    }

    /**
     * One row. Value {@code i} is the text {@code buffer[offsets[i]] ... buffer[offsets[i] + lengths[i] - 1]} in the
     * connection's {@linkplain WireConnection#charset() character set}; NULL has length -1. All three arrays belong
     * to the connection and are used again after the call; the two short ones are as long as the row is wide.
     */
    default void row(byte[] buffer, int[] offsets, int[] lengths) {}

    /** A statement is done, with this tag: {@code INSERT 0 1}. */
    default void complete(String tag) {}

    /** The text held no statement. */
    default void empty() {}

    /** A statement failed; no more of the text is executed. */
    default void error(ServerMessage message) {}

    /** A notice, warning or other message beside the results. */
    default void notice(ServerMessage message) {}

    /** A piece of the output of {@code COPY TO STDOUT}, usually a line with its end. The buffer is used again after the call. */
    default void copyData(byte[] buffer, int offset, int length) {}
}
