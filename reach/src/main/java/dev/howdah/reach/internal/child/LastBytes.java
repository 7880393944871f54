package dev.howdah.reach.internal.child;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Keeps the last 64 KiB of what is written to it, and up to twice as much. Safe for use by many threads. */
public final class LastBytes extends OutputStream {
    private static final int KEPT = 65_536;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    @Override
    public void write(int one) {
        write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public synchronized void write(byte[] some, int from, int count) {
        bytes.write(some, from, count);
        if (bytes.size() <= 2 * KEPT) return;
        byte[] all = bytes.toByteArray();
        bytes.reset();
        bytes.write(all, all.length - KEPT, KEPT);
    }

    /** As UTF-8; what is none becomes U+FFFD. */
    public synchronized String text() {
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
