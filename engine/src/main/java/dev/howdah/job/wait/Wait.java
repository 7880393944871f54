package dev.howdah.job.wait;

import java.time.Duration;
import java.util.Objects;

/** What a handler waits for together with others, see {@link dev.howdah.job.Job#awaitAny}. */
public sealed interface Wait permits Wait.OfSignal, Wait.OfChild, Wait.OfTime {
    /**
     * A signal to the job.
     *
     * @param type to which the codec converts its payload
     */
    static <T> OfSignal<T> signal(String name, Class<T> type) {
        return new OfSignal<>(name, type);
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
