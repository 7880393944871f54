package dev.howdah.internal.trace;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.OpenTelemetry;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The OpenTelemetry that spans go to: the last one that a framework has named, or the global one. Safe for use by many threads. */
public final class OpenTelemetrySource {
    private static final List<Named> NAMED = new CopyOnWriteArrayList<>();

    private OpenTelemetrySource() {}

    /** One that a framework has named, until it is closed. */
    public static final class Named implements AutoCloseable {
        private final OpenTelemetry telemetry;
        private final boolean observesRuns;

        private Named(OpenTelemetry telemetry, boolean observesRuns) {
            this.telemetry = telemetry;
            this.observesRuns = observesRuns;
        }

        @Override
        public void close() {
            NAMED.remove(this);
        }
    }

    /**
     * Names one that is not the global one, for all of this program.
     *
     * @param observesRuns whether the framework makes the spans of runs of jobs itself
     */
    public static Named name(OpenTelemetry telemetry, boolean observesRuns) {
        Named named = new Named(telemetry, observesRuns);
        NAMED.add(named);
        return named;
    }

    static boolean hasObservedRuns() {
        return NAMED.stream().anyMatch(each -> each.observesRuns);
    }

    /** Asked for each time: a program may set the global one up at any time, and that must not be what forbids it. */
    static OpenTelemetry current() {
        for (int i = NAMED.size() - 1; i >= 0; i--) {
            try {
                return NAMED.get(i).telemetry;
            } catch (IndexOutOfBoundsException e) {
                // Closed meanwhile: the one before it.
            }
        }
        try {
            return GlobalOpenTelemetry.getOrNoop();
        } catch (NoSuchMethodError e) {
            // An older API cannot be asked without being set up by that.
            return OpenTelemetry.noop();
        }
    }
}
