package dev.howdah.job;

import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Carries the context of traces from where a job is added to where it runs, as W3C Trace Context has it. Safe for use by
 * many threads.
 */
interface Tracing {
    /** The current context as a JSON object of headers; null if there is none worth carrying. */
    @Nullable
    String current();

    /** Calls {@code work} where that context is the current one. */
    <T> T within(Map<String, String> headers, Callable<T> work) throws Exception;

    /** That of OpenTelemetry if its API is on the class path of {@code of}; otherwise one that carries nothing. */
    static Tracing find(Class<?> of) {
        try {
            Class.forName("io.opentelemetry.api.trace.Span", false, of.getClassLoader());
            Class.forName("io.opentelemetry.context.Context", false, of.getClassLoader());
        } catch (ClassNotFoundException | LinkageError e) {
            return NoTracing.NONE;
        }
        return new OpenTelemetryTracing();
    }
}
