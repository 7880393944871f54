package dev.howdah.reach.internal.http;

import dev.howdah.reach.internal.call.Call;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Bounds the memory that bodies of documents take together: the next one waits. Safe for use by many threads. */
final class BodyRoom {
    /** So large is one at most. */
    static final int LARGEST = 32 << 20;

    private static final int UNIT = 1 << 10;
    private static final int WHOLE = LARGEST / UNIT;

    /** One that is being made beside those that are being sent. */
    private final Semaphore units = new Semaphore(
            WHOLE + Math.toIntExact(Math.min(Runtime.getRuntime().maxMemory() / 8 / UNIT, 1 << 20)), true);

    /** The room of one body. For one thread. */
    final class Lease implements AutoCloseable {
        private int taken = WHOLE;

        /** It is made, and has that many bytes. */
        void made(long bytes) {
            int needed = (int) Math.min(WHOLE, bytes / UNIT + 1);
            units.release(taken - needed);
            taken = needed;
        }

        @Override
        public void close() {
            units.release(taken);
            taken = 0;
        }
    }

    /** Waits until there is room for the largest one. */
    Lease take(Call call) throws InterruptedException {
        while (!units.tryAcquire(WHOLE, 100, TimeUnit.MILLISECONDS))
            if (call.cancellation().isCancelled()) throw new InterruptedException();
        return new Lease();
    }
}
