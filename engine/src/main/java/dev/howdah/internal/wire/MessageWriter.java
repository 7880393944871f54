package dev.howdah.internal.wire;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.Charset;
import java.util.Arrays;

/** Puts messages together and sends all of them in one write. */
final class MessageWriter {
    private static final int CAPACITY = 8 * 1024;
    private static final int WRITE = 64 * 1024;

    private final OutputStream out;
    private byte[] buffer = new byte[CAPACITY];
    private int size;
    private int lengthAt;
    private volatile long waitingSince;

    MessageWriter(OutputStream out) {
        this.out = out;
    }

    MessageWriter begin(char type) {
        room(1);
        buffer[size++] = (byte) type;
        return beginUntyped();
    }

    /** The messages at the start of a connection have no type. */
    MessageWriter beginUntyped() {
        lengthAt = size;
        return int32(0);
    }

    MessageWriter int16(int value) {
        room(2);
        buffer[size++] = (byte) (value >> 8);
        buffer[size++] = (byte) value;
        return this;
    }

    MessageWriter int32(int value) {
        room(4);
        putInt(size, value);
        size += 4;
        return this;
    }

    MessageWriter bytes(byte[] value) {
        room(value.length);
        System.arraycopy(value, 0, buffer, size, value.length);
        size += value.length;
        return this;
    }

    /** The bytes and the zero that ends a string. */
    MessageWriter string(byte[] value) {
        bytes(value);
        room(1);
        buffer[size++] = 0;
        return this;
    }

    MessageWriter string(String value, Charset charset) {
        return string(value.getBytes(charset));
    }

    MessageWriter end() {
        putInt(lengthAt, size - lengthAt);
        return this;
    }

    /** Sends what was written. Long messages go in pieces, as channels copy each write to memory of their own. */
    void flush() throws IOException {
        int length = size;
        byte[] sent = buffer;
        size = 0;
        if (buffer.length > WRITE) buffer = new byte[CAPACITY];
        try {
            for (int at = 0; at < length; at += WRITE) {
                waitingSince = System.nanoTime() | 1; // never 0
                out.write(sent, at, Math.min(WRITE, length - at));
            }
            out.flush();
        } finally {
            waitingSince = 0;
        }
    }

    /** Since when a piece waits to be taken, by {@link System#nanoTime}; 0 while none does. For any thread. */
    long waitingSince() {
        return waitingSince;
    }

    /** Forgets what was not sent; it may be a password. */
    void clear() {
        Arrays.fill(buffer, (byte) 0);
        size = 0;
    }

    private void putInt(int at, int value) {
        buffer[at] = (byte) (value >> 24);
        buffer[at + 1] = (byte) (value >> 16);
        buffer[at + 2] = (byte) (value >> 8);
        buffer[at + 3] = (byte) value;
    }

    private void room(int count) {
        if (count > Integer.MAX_VALUE - 16 - size)
            throw new IllegalArgumentException("message too long for PostgreSQL");
        if (size + count > buffer.length)
            buffer = Arrays.copyOf(
                    buffer, (int) Math.min(Integer.MAX_VALUE - 16, Math.max(size + count, 2L * buffer.length)));
    }
}
