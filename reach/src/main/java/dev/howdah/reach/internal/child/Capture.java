package dev.howdah.reach.internal.child;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

/** Reads a stream up to a bound and keeps all of it. Safe for use by many threads. */
public final class Capture implements Runnable {
    private final InputStream from;
    private final int most;
    private final Runnable tooMuch;
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private boolean full;

    /** @param tooMuch what to do when more than {@code most} bytes have come, of which no more are read then */
    public Capture(InputStream from, int most, Runnable tooMuch) {
        this.from = from;
        this.most = most;
        this.tooMuch = tooMuch;
    }

    @Override
    public void run() {
        byte[] some = new byte[8_192];
        try {
            for (int read = from.read(some); read >= 0; read = from.read(some))
                if (!add(some, read)) {
                    tooMuch.run();
                    return;
                }
        } catch (IOException e) {
            // The program is gone.
        }
    }

    private synchronized boolean add(byte[] some, int count) {
        full = count > most - kept.size();
        if (!full) kept.write(some, 0, count);
        return !full;
    }

    /** Returns whether more has come than is kept. */
    public synchronized boolean isFull() {
        return full;
    }

    /** What has come so far. */
    public synchronized byte[] bytes() {
        return kept.toByteArray();
    }
}
