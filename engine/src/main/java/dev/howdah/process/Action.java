package dev.howdah.process;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The next action of a process after a step. */
public sealed interface Action {
    /** Keeps the timer; a timer that has just run is gone. */
    record Idle() implements Action {}

    /** Removes the timer; the process waits for calls. */
    record Suspend() implements Action {}

    /**
     * Sets the timer, in place of any other.
     *
     * @param at the time; null: {@code delay} from now
     * @param delay from the end of the step
     * @param removes whether the process is removed then; else the processor is called
     */
    record Schedule(@Nullable Instant at, Duration delay, boolean removes) implements Action {
        public Schedule {
            if (delay.isNegative()) delay = Duration.ZERO;
        }
    }

    /** Removes the process now with all its rows; of this step only the response counts. */
    record Remove() implements Action {}

    /** {@link Idle}. */
    static Action idle() {
        return new Idle();
    }

    /** {@link Suspend}. */
    static Action suspend() {
        return new Suspend();
    }

    /** Calls the processor again at once. */
    static Action timeout() {
        return new Schedule(null, Duration.ZERO, false);
    }

    /** Calls the processor again after that time. */
    static Action timeout(Duration delay) {
        return new Schedule(null, delay, false);
    }

    /** Calls the processor again at that time; at once if it has passed. */
    static Action timeout(Instant at) {
        return new Schedule(at, Duration.ZERO, false);
    }

    /** {@link Remove}. */
    static Action remove() {
        return new Remove();
    }

    /** Removes the process after that time. */
    static Action remove(Duration delay) {
        return new Schedule(null, delay, true);
    }

    /** Removes the process at that time. */
    static Action remove(Instant at) {
        return new Schedule(at, Duration.ZERO, true);
    }
}
