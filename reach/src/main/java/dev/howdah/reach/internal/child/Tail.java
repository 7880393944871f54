package dev.howdah.reach.internal.child;

import java.io.IOException;
import java.io.InputStream;

/** Reads a stream to its end, so that its writer never waits, and keeps its {@linkplain LastBytes last bytes}. Safe for use by many threads. */
public final class Tail implements Runnable {
    private final InputStream from;
    private final LastBytes kept = new LastBytes();

    public Tail(InputStream from) {
        this.from = from;
    }

    @Override
    public void run() {
        try {
            from.transferTo(kept);
        } catch (IOException e) {
            // The program is gone.
        }
    }

    /** The last that has come. */
    public String text() {
        return kept.text();
    }
}
