package dev.howdah.internal.http;

import java.time.Instant;

/** The clock of this machine: a signature says by it when it was made, and its reader compares that with a clock of its own. Nothing is decided by it. */
public final class SenderClock {
    private SenderClock() {}

    public static Instant now() {
        return Instant.now();
    }
}
