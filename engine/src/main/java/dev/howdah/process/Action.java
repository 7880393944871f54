package dev.howdah.process;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What is to happen next with a process. */
public sealed interface Action {
    /** Its timer stays as it is; the one that has just run is gone. */
    record Idle() implements Action {}

    /** It has no timer any more, and waits for calls. */
    record Suspend() implements Action {}

    /**
     * Its timer is set, in place of any other.
     *
     * @param at when; null: {@code delay} from now
     * @param delay from the end of the step
     * @param removes whether the process goes then; else the processor gets a task
     */
    record Schedule(@Nullable Instant at, Duration delay, boolean removes) implements Action {
        public Schedule {
            if (delay.isNegative()) delay = Duration.ZERO;
        }
    }

    /** It goes now, with all it had; nothing of this step but the answer is kept. */
    record Remove() implements Action {}

    /** {@link Idle}. */
    static Action idle() {
        return new Idle();
    }

    /** {@link Suspend}. */
    static Action suspend() {
        return new Suspend();
    }

    /** Another step at once. */
    static Action timeout() {
        return new Schedule(null, Duration.ZERO, false);
    }

    /** Another step after that time. */
    static Action timeout(Duration delay) {
        return new Schedule(null, delay, false);
    }

    /** Another step at that time; at once if it has passed. */
    static Action timeout(Instant at) {
        return new Schedule(at, Duration.ZERO, false);
    }

    /** {@link Remove}. */
    static Action remove() {
        return new Remove();
    }

    /** The process goes after that time. */
    static Action remove(Duration delay) {
        return new Schedule(null, delay, true);
    }

    /** The process goes at that time. */
    static Action remove(Instant at) {
        return new Schedule(at, Duration.ZERO, true);
    }
}
