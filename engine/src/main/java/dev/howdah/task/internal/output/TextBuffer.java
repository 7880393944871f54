package dev.howdah.task.internal.output;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A growing run of bytes that become text in the end. Used by one thread. */
final class TextBuffer {
    private byte[] bytes = new byte[64];
    private int size;

    int size() {
        return size;
    }

    void append(byte value) {
        if (size == bytes.length) grow(1);
        bytes[size++] = value;
    }

    void append(byte[] from, int offset, int length) {
        if (length > bytes.length - size) grow(length);
        System.arraycopy(from, offset, bytes, size, length);
        size += length;
    }

    /** Forgets what stands behind the first bytes. */
    void truncate(int length) {
        size = Math.min(size, length);
    }

    /** Forgets everything, and lets the memory go. */
    void clear() {
        bytes = new byte[64];
        size = 0;
    }

    private void grow(int more) {
        bytes = Arrays.copyOf(bytes, Math.max(Math.addExact(size, more), (int) Math.min(bytes.length * 2L, 1 << 30)));
    }

    @Override
    public String toString() {
        return new String(bytes, 0, size, StandardCharsets.UTF_8);
    }
}
