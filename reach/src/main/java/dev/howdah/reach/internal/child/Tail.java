package dev.howdah.reach.internal.child;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** Reads a stream to its end, so that its writer never waits, and keeps the last 64 KiB. Safe for use by many threads. */
public final class Tail implements Runnable {
    private static final int KEPT = 65_536;

    private final InputStream from;
    private final StringBuilder kept = new StringBuilder();

    public Tail(InputStream from) {
        this.from = from;
    }

    @Override
    public void run() {
        byte[] some = new byte[8_192];
        try {
            for (int read = from.read(some); read >= 0; read = from.read(some)) add(some, read);
        } catch (IOException e) {
            // The program is gone.
        }
    }

    private synchronized void add(byte[] some, int count) {
        kept.append(new String(some, 0, count, StandardCharsets.UTF_8));
        if (kept.length() > 2 * KEPT) kept.delete(0, kept.length() - KEPT);
    }

    /** The last that has come. */
    public synchronized String text() {
        return kept.toString();
    }
}
