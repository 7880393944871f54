package dev.howdah.process;

import dev.howdah.internal.text.NameText;
import dev.howdah.spi.Backoff;
import dev.howdah.spi.RetryPolicy;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A type of processes: its name, its processor and its settings. Immutable.
 *
 * <pre>{@code
 * Namespace payments = Namespace.builder("payments", new PaymentProcessor())
 *         .concurrency(20)
 *         .stepTimeout(Duration.ofSeconds(10))
 *         .build();
 * }</pre>
 */
public final class Namespace {
    private static final Duration SHORTEST_STEP = Duration.ofMillis(1);
    private static final Duration LONGEST_STEP = Duration.ofDays(1);

    private final Builder settings;

    private Namespace(Builder settings) {
        this.settings = settings;
    }

    /** Makes a namespace with the defaults of {@link Builder}. */
    public static Namespace of(String name, Processor processor) {
        return builder(name, processor).build();
    }

    /**
     * Begins a namespace.
     *
     * @param name 1 to 200 characters
     * @param processor the code of its processes
     * @throws IllegalArgumentException if the name is out of its bounds
     */
    public static Builder builder(String name, Processor processor) {
        return new Builder(checkName(name), Objects.requireNonNull(processor, "processor"));
    }

    /** Begins a namespace with the settings of this one. */
    public Builder toBuilder() {
        return new Builder(settings);
    }

    static String checkName(String name) {
        int length = name.codePointCount(0, name.length());
        if (length < 1 || length > 200 || name.indexOf('\0') >= 0)
            throw new IllegalArgumentException("the name of a namespace has 1 to 200 characters, none of them 0; not "
                    + length + (length > 40 ? ": " + name.substring(0, 40) + "..." : ": " + name.replace("\0", "\\0")));
        return NameText.check("the name of a namespace", name);
    }

    public String name() {
        return settings.name;
    }

    public Processor processor() {
        return settings.processor;
    }

    /** Returns the setting of {@link Builder#concurrency}. */
    public int concurrency() {
        return settings.concurrency;
    }

    /** Returns the setting of {@link Builder#stepTimeout}. */
    public Duration stepTimeout() {
        return settings.stepTimeout;
    }

    /** Returns the setting of {@link Builder#retries}. */
    public RetryPolicy retries() {
        return settings.retries;
    }

    /** Returns the setting of {@link Builder#transientErrors}. */
    public Predicate<Throwable> transientErrors() {
        return settings.transientErrors;
    }

    /** Returns the setting of {@link Builder#history}. */
    public HistoryRange history() {
        return settings.history;
    }

    /** Returns the setting of {@link Builder#repeatable}. */
    public boolean repeatable() {
        return settings.repeatable;
    }

    /** Returns the setting of {@link Builder#outbox}. */
    public boolean outbox() {
        return settings.outbox;
    }

    /** Returns the setting of {@link Builder#retention}; null: idle processes stay. */
    public @Nullable Retention retention() {
        return settings.retention;
    }

    @Override
    public String toString() {
        return "namespace " + settings.name;
    }

    /**
     * The policy for finished processes: those that are not in error, have no timer and no waiting call, and have been idle for a while.
     * Processes in error stay.
     *
     * @param idle the time without work, 0 to 36,500 days
     * @param archive whether their state and history go to the tables {@code howdah.process_archive} and {@code process_archive_event};
     *     else they are deleted
     */
    public record Retention(Duration idle, boolean archive) {
        /** @throws IllegalArgumentException if the time is out of its bounds */
        public Retention {
            if (idle.isNegative() || idle.compareTo(Duration.ofDays(36_500)) > 0)
                throw new IllegalArgumentException(
                        "finished processes are kept for " + idle + ": it has to be 0 to 36500 days");
        }

        /** Removes them with all their rows. */
        public static Retention removeAfter(Duration idle) {
            return new Retention(idle, false);
        }

        /** Moves them to the archive, except their tasks and keys. */
        public static Retention archiveAfter(Duration idle) {
            return new Retention(idle, true);
        }
    }

    /** The settings of a namespace that is being made. Not safe for use by many threads. */
    public static final class Builder {
        private final String name;
        private final Processor processor;
        private int concurrency = 100;
        private Duration stepTimeout = Duration.ofSeconds(60);
        private RetryPolicy retries = Backoff.STANDARD;
        private Predicate<Throwable> transientErrors =
                failure -> failure instanceof IOException || failure instanceof TimeoutException;
        private HistoryRange history = HistoryRange.ALL;
        private boolean repeatable;
        private boolean outbox;
        private @Nullable Retention retention;

        private Builder(String name, Processor processor) {
            this.name = name;
            this.processor = processor;
        }

        private Builder(Builder other) {
            this(other.name, other.processor);
            concurrency = other.concurrency;
            stepTimeout = other.stepTimeout;
            retries = other.retries;
            transientErrors = other.transientErrors;
            history = other.history;
            repeatable = other.repeatable;
            outbox = other.outbox;
            retention = other.retention;
        }

        /**
         * Sets how many processes run at the same time on this node. The default is 100.
         *
         * @param processes 0 to 10,000; 0: this node runs none
         * @throws IllegalArgumentException if the number is out of its bounds
         */
        public Builder concurrency(int processes) {
            if (processes < 0 || processes > 10_000)
                throw new IllegalArgumentException("a concurrency of " + processes + ": it has to be 0 to 10000");
            concurrency = processes;
            return this;
        }

        /**
         * Sets how long a step may take. Callers wait 5 s longer unless their request has a timeout of its own. The default is 60 s.
         *
         * @param time 1 ms to 1 day
         * @throws IllegalArgumentException if the time is out of its bounds
         */
        public Builder stepTimeout(Duration time) {
            if (time.compareTo(SHORTEST_STEP) < 0 || time.compareTo(LONGEST_STEP) > 0)
                throw new IllegalArgumentException("a step timeout of " + time + ": it has to be 1 ms to 1 day");
            stepTimeout = time;
            return this;
        }

        /** Sets the retries of timers. The default is {@link Backoff#STANDARD}. */
        public Builder retries(RetryPolicy policy) {
            retries = Objects.requireNonNull(policy, "policy");
            return this;
        }

        /**
         * Sets the exceptions beside {@link StepFailedException} after which a timer is retried. The default is {@link IOException} and
         * {@link TimeoutException}.
         */
        public Builder transientErrors(Predicate<Throwable> errors) {
            transientErrors = Objects.requireNonNull(errors, "errors");
            return this;
        }

        /** Sets the part of the history that the processor sees, unless a request asks for another. The default is all of it. */
        public Builder history(HistoryRange range) {
            history = Objects.requireNonNull(range, "range");
            return this;
        }

        /** Sets whether a call that was running when its node crashed runs again; else its process is in error. The default is false. */
        public Builder repeatable(boolean yes) {
            repeatable = yes;
            return this;
        }

        /** Sets whether events and changes of the status are written to the outbox. The default is false. */
        public Builder outbox(boolean yes) {
            outbox = yes;
            return this;
        }

        /** Sets the policy for idle processes. Without it they stay. */
        public Builder retention(@Nullable Retention policy) {
            retention = policy;
            return this;
        }

        public Namespace build() {
            return new Namespace(new Builder(this));
        }
    }
}
