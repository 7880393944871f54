package dev.howdah.internal.run;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;
import org.slf4j.helpers.NOPMDCAdapter;

/**
 * Values in the MDC of SLF4J while user code runs in this thread. Closing it puts back what the MDC held before, so that nothing
 * that user code has left there meets the next piece of work. For one thread.
 */
public final class LogContext implements AutoCloseable {
    private static final LogContext OFF = new LogContext(null);

    private final @Nullable Map<String, String> before;

    private LogContext(@Nullable Map<String, String> before) {
        this.before = before;
    }

    /** Returns whether the logging library of the program keeps no MDC: then nothing has to be put together for it. */
    public static boolean isOff() {
        return MDC.getMDCAdapter() instanceof NOPMDCAdapter;
    }

    /** One that does nothing. */
    public static LogContext off() {
        return OFF;
    }

    /** @param keysAndValues in turns */
    public static LogContext of(String... keysAndValues) {
        Map<String, String> before = MDC.getCopyOfContextMap();
        LogContext context = new LogContext(before == null ? Map.of() : before);
        for (int i = 0; i < keysAndValues.length; i += 2) MDC.put(keysAndValues[i], keysAndValues[i + 1]);
        return context;
    }

    @Override
    public void close() {
        if (before == null) return;
        if (before.isEmpty()) MDC.clear();
        else MDC.setContextMap(before);
    }
}
