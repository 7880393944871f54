package dev.howdah.internal.run;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Does work in threads of its own and hands what comes of it to the owner of a mailbox, in the owner's thread. Safe for
 * use by many threads. What is begun after {@link #close} is silently not done.
 */
public final class Background implements AutoCloseable {
    private final ExecutorService executor;
    private final Mailbox mailbox;

    /** @param name of the threads, where they have one */
    public Background(String name, Mailbox mailbox) {
        this.executor = Threads.perTask(name);
        this.mailbox = mailbox;
    }

    /** Does the work in another thread; no thread waits for it. */
    public void run(Runnable work) {
        try {
            executor.execute(work);
        } catch (RejectedExecutionException e) {
            // Closed: the result is not needed any more.
        }
    }

    /** Does the work elsewhere, and then {@code next} with its result in the owner's thread; what it throws is thrown there. */
    public <T> void run(Supplier<T> work, Consumer<T> next) {
        run(() -> {
            T result;
            try {
                result = work.get();
            } catch (RuntimeException | Error e) {
                // The owner counts on a result: without one its state is not true any more.
                mailbox.post(() -> {
                    if (e instanceof Error error) throw error;
                    throw (RuntimeException) e;
                });
                return;
            }
            mailbox.post(() -> next.accept(result));
        });
    }

    /** Leaves something for the owner to do; never waits. */
    public void post(Runnable letter) {
        mailbox.post(letter);
    }

    /** Begins nothing new; what has begun goes on to its end. */
    @Override
    public void close() {
        executor.shutdown();
    }
}
