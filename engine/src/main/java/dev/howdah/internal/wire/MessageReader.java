package dev.howdah.internal.wire;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ProtocolException;
import java.nio.charset.Charset;
import java.util.Arrays;

/**
 * Reads one message at a time, whole, into a buffer that is used again for the next. The buffer grows as the bytes
 * of a long message arrive, not on the word of its length, and shrinks after it.
 */
final class MessageReader {
    private static final int CAPACITY = 64 * 1024;
    private static final int KEPT = 4 * CAPACITY;
    /** The most one read asks for: channels copy each read through memory of their own. */
    private static final int READ = 4 * CAPACITY;
    /** Rows and texts may be long; any other message that says so is noise, as libpq sees it. */
    private static final int SHORT_MESSAGE = 30_000;

    private static final String LONG_MESSAGES = "TDdEN";
    /** After so many bytes of a message its length is believed. */
    private static final int TRUST = 1024 * 1024;

    private static final int LONGEST = 0x4000_0000;

    /** Instead of the type of a message that was read over. */
    static final char LEFT_OUT = 0;

    private static final WireListener WANTED = new WireListener() {};

    private final InputStream in;
    private byte[] buffer = new byte[CAPACITY];
    private int position;
    private int end;
    private int limit;
    private volatile long waitingSince;

    MessageReader(InputStream in) {
        this.in = in;
    }

    /** Returns whether bytes of a message are here already. */
    boolean hasInput() throws IOException {
        return end < limit || in.available() > 0;
    }

    /** Since when it waits for bytes of the server, by {@link System#nanoTime}; 0 while it does not. For any thread. */
    long waitingSince() {
        return waitingSince;
    }

    /** Goes on to the next message and returns its type. */
    char next() throws IOException {
        return next(WANTED);
    }

    /** The same; a row, or data of a COPY, that the listener leaves out is read over. */
    char next(WireListener listener) throws IOException {
        position = end;
        if (limit - position < 5) fill(5);
        char type = (char) (buffer[position++] & 0xff);
        end = position + 4;
        int length = int32() - 4;
        if (length < 0 || length > LONGEST || (length > SHORT_MESSAGE && LONG_MESSAGES.indexOf(type) < 0))
            throw new ProtocolException("message of type 0x" + Integer.toHexString(type) + " and length " + length
                    + ": this is not the protocol of PostgreSQL");
        if (length > WireListener.LONG && (type == 'D' || type == 'd') && listener.leavesOut(length)) {
            readOver(length);
            return LEFT_OUT;
        }
        if (limit - position < length) fill(length);
        end = position + length;
        return type;
    }

    private void readOver(int length) throws IOException {
        for (int left = length; left > 0; ) {
            if (limit == position) fill(1);
            int here = Math.min(left, limit - position);
            position += here;
            left -= here;
        }
        end = position;
    }

    /** Reads until {@code count} bytes follow the position. */
    private void fill(int count) throws IOException {
        byte[] from = buffer;
        int have = limit - position;
        if (buffer.length > KEPT && count <= CAPACITY && have <= CAPACITY) buffer = new byte[CAPACITY];
        if (position > 0 || from != buffer) System.arraycopy(from, position, buffer, 0, have);
        position = 0;
        limit = have;
        while (limit < count) {
            if (limit == buffer.length) grow(count);
            waitingSince = System.nanoTime() | 1; // never 0
            int read = in.read(buffer, limit, Math.min(READ, buffer.length - limit));
            waitingSince = 0;
            if (read < 0) throw new EOFException("the server closed the connection");
            limit += read;
        }
        end = 0;
    }

    private void grow(int count) throws IOException {
        int length = limit < TRUST ? Math.min(count, 2 * limit) : count;
        try {
            buffer = Arrays.copyOf(buffer, length);
        } catch (OutOfMemoryError e) {
            throw new IOException("a message of " + count + " bytes does not fit into the memory of this process", e);
        }
    }

    byte[] buffer() {
        return buffer;
    }

    int position() {
        return position;
    }

    int remaining() {
        return end - position;
    }

    char int8() throws ProtocolException {
        need(1);
        return (char) (buffer[position++] & 0xff);
    }

    int int16() throws ProtocolException {
        need(2);
        int value = (buffer[position] & 0xff) << 8 | (buffer[position + 1] & 0xff);
        position += 2;
        return value;
    }

    int int32() throws ProtocolException {
        need(4);
        int value = (buffer[position] & 0xff) << 24
                | (buffer[position + 1] & 0xff) << 16
                | (buffer[position + 2] & 0xff) << 8
                | (buffer[position + 3] & 0xff);
        position += 4;
        return value;
    }

    byte[] bytes(int count) throws ProtocolException {
        need(count);
        position += count;
        return Arrays.copyOfRange(buffer, position - count, position);
    }

    void skip(int count) throws ProtocolException {
        need(count);
        position += count;
    }

    /** A string that ends with a zero. */
    String string(Charset charset) throws ProtocolException {
        int zero = position;
        while (zero < end && buffer[zero] != 0) zero++;
        if (zero == end) throw new ProtocolException("message with a string that does not end");
        String value = new String(buffer, position, zero - position, charset);
        position = zero + 1;
        return value;
    }

    /** @throws ProtocolException unless the message has that many bytes more */
    void need(int count) throws ProtocolException {
        if (count < 0 || count > end - position)
            throw new ProtocolException("message shorter than what it says of itself");
    }
}
