package dev.howdah.internal.run;

import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The work that other threads post to the one thread that owns a state. Any thread may {@link #post}; only the owner
 * may {@link #await} and {@link #handleAll}.
 */
public final class Mailbox {
    private final LinkedBlockingQueue<Runnable> letters = new LinkedBlockingQueue<>();

    /** Leaves something for the owner to do; never waits. */
    public void post(Runnable letter) {
        letters.add(letter);
    }

    /** Does everything that has been posted, without waiting; says how much it was. */
    public int handleAll() {
        int handled = 0;
        for (Runnable letter = letters.poll(); letter != null; letter = letters.poll()) {
            letter.run();
            handled++;
        }
        return handled;
    }

    /** Waits until something is posted, at most for {@code timeout}, and does it; says whether there was anything. */
    public boolean await(Duration timeout) throws InterruptedException {
        @Nullable Runnable first = letters.poll(Math.max(timeout.toNanos(), 0), TimeUnit.NANOSECONDS);
        if (first == null) return false;
        first.run();
        handleAll();
        return true;
    }
}
