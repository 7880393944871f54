package dev.howdah.process;

import dev.howdah.spi.RetryPolicy;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A type of processes, with their processor and settings. Immutable: each method returns a copy.
 *
 * @param name 1 to 200 characters
 * @param processor their code
 * @param concurrency how many of them run at the same time on this node; 0: none
 * @param stepTimeout how long a step may take, and how long callers wait
 * @param retries of timers; defaults to {@link Backoff#STANDARD}
 * @param transientErrors exceptions beside {@link StepFailedException} after which a timer is retried
 * @param history the part that the processor sees, unless a request asks for another
 * @param repeatable whether a call that was running when its node crashed runs again; else its process is broken
 * @param outbox whether events and changes of status are written to the outbox
 * @param retention the policy for idle processes; null: they stay
 */
public record Namespace(
        String name,
        Processor processor,
        int concurrency,
        Duration stepTimeout,
        RetryPolicy retries,
        Predicate<Throwable> transientErrors,
        HistoryRange history,
        boolean repeatable,
        boolean outbox,
        @Nullable Retention retention) {
    /** @throws IllegalArgumentException if a value is out of its bounds */
    public Namespace {
        checkName(name);
        if (concurrency < 0 || concurrency > 10_000)
            throw new IllegalArgumentException("a concurrency of " + concurrency + ": it has to be 0 to 10000");
        if (stepTimeout.compareTo(Duration.ofMillis(1)) < 0 || stepTimeout.compareTo(Duration.ofDays(1)) > 0)
            throw new IllegalArgumentException("a step timeout of " + stepTimeout + ": it has to be 1 ms to 1 day");
    }

    /** Makes a namespace with concurrency 100, 60 seconds for a step, and the whole history. */
    public static Namespace of(String name, Processor processor) {
        return new Namespace(
                name,
                processor,
                100,
                Duration.ofSeconds(60),
                Backoff.STANDARD,
                failure -> failure instanceof IOException || failure instanceof TimeoutException,
                HistoryRange.ALL,
                false,
                false,
                null);
    }

    static String checkName(String name) {
        int length = name.codePointCount(0, name.length());
        if (length < 1 || length > 200 || name.indexOf('\0') >= 0)
            throw new IllegalArgumentException("the name of a namespace has 1 to 200 characters, none of them 0; not "
                    + length + (length > 40 ? ": " + name.substring(0, 40) + "..." : ": " + name.replace("\0", "\\0")));
        return name;
    }

    public Namespace concurrency(int processes) {
        return new Namespace(
                name,
                processor,
                processes,
                stepTimeout,
                retries,
                transientErrors,
                history,
                repeatable,
                outbox,
                retention);
    }

    public Namespace stepTimeout(Duration time) {
        return new Namespace(
                name, processor, concurrency, time, retries, transientErrors, history, repeatable, outbox, retention);
    }

    public Namespace retries(RetryPolicy policy) {
        return new Namespace(
                name,
                processor,
                concurrency,
                stepTimeout,
                policy,
                transientErrors,
                history,
                repeatable,
                outbox,
                retention);
    }

    public Namespace transientErrors(Predicate<Throwable> which) {
        return new Namespace(
                name, processor, concurrency, stepTimeout, retries, which, history, repeatable, outbox, retention);
    }

    public Namespace history(HistoryRange range) {
        return new Namespace(
                name,
                processor,
                concurrency,
                stepTimeout,
                retries,
                transientErrors,
                range,
                repeatable,
                outbox,
                retention);
    }

    public Namespace repeatable(boolean yes) {
        return new Namespace(
                name, processor, concurrency, stepTimeout, retries, transientErrors, history, yes, outbox, retention);
    }

    public Namespace outbox(boolean yes) {
        return new Namespace(
                name,
                processor,
                concurrency,
                stepTimeout,
                retries,
                transientErrors,
                history,
                repeatable,
                yes,
                retention);
    }

    /** Sets the policy for idle processes. Without it they stay. */
    public Namespace retention(Retention policy) {
        return new Namespace(
                name,
                processor,
                concurrency,
                stepTimeout,
                retries,
                transientErrors,
                history,
                repeatable,
                outbox,
                policy);
    }
}
