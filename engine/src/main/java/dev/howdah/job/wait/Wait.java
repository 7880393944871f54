package dev.howdah.job.wait;

import java.time.Duration;
import java.util.Objects;

/** What a handler waits for together with others, see {@link dev.howdah.job.Job#awaitAny}. */
public sealed interface Wait permits Wait.OfSignal, Wait.OfEvent, Wait.OfChild, Wait.OfJob, Wait.OfTime {
    /**
     * A signal to the job.
     *
     * @param type to which the codec converts its payload
     */
    static <T> OfSignal<T> signal(String name, Class<T> type) {
        return new OfSignal<>(name, type);
    }

    /** An event, as {@link dev.howdah.job.Job#awaitEvent} waits for one. */
    static <T> OfEvent<T> event(EventWait<T> event) {
        return new OfEvent<>(event);
    }

    /**
     * The end, however, of a job that is no child.
     *
     * @param type to which the codec converts its result
     */
    static <T> OfJob<T> job(long id, Class<T> type) {
        return new OfJob<>(id, type);
    }

    /** The end of a child, however. */
    static OfChild child(Child child) {
        return new OfChild(child);
    }

    /** The end of a time, which is fixed once. */
    static OfTime time(Duration atMost) {
        return new OfTime(atMost);
    }

    /**
     * A signal.
     *
     * @param type to which the codec converts its payload
     */
    record OfSignal<T>(String name, Class<T> type) implements Wait {
        public OfSignal {
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(type, "type");
        }
    }

    /** An event. */
    record OfEvent<T>(EventWait<T> event) implements Wait {
        public OfEvent {
            Objects.requireNonNull(event, "event");
        }
    }

    /**
     * A job that is no child.
     *
     * @param type to which the codec converts its result
     */
    record OfJob<T>(long id, Class<T> type) implements Wait {
        public OfJob {
            Objects.requireNonNull(type, "type");
        }
    }

    /** A child. */
    record OfChild(Child child) implements Wait {
        public OfChild {
            Objects.requireNonNull(child, "child");
        }
    }

    /** A time. */
    record OfTime(Duration atMost) implements Wait {
        public OfTime {
            Objects.requireNonNull(atMost, "atMost");
        }
    }
}
