package dev.howdah.internal.trace;

import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Carries the context of traces from where work is asked for to where it is done, as W3C Trace Context has it, and tells of both.
 * Safe for use by many threads.
 */
public interface Tracing {
    /** The current context as a JSON object of headers; null if there is none worth carrying. */
    @Nullable
    String current();

    /** The current context as headers, for a receiver that knows W3C Trace Context; empty if there is none worth carrying. */
    Map<String, String> headers();

    /** Returns the same work, which is done in the context that is the current one now, by whichever thread. */
    <T> Callable<T> carried(Callable<T> work);

    /** Says more about the current span, if there is one. */
    void note(String attribute, long value);

    /** Calls {@code work} where that context is the current one. */
    <T> T within(Map<String, String> headers, Callable<T> work) throws Exception;

    /** Calls {@code work}, which asks others, in a span of its own within the current context. */
    <T> T asking(String name, Map<String, String> attributes, Callable<T> work) throws Exception;

    /**
     * As {@link #asking(String, Map, Callable)}, for work whose result tells how it has ended.
     *
     * @param ending of the result; not called if the work throws
     */
    <T> T asking(String name, Map<String, String> attributes, Callable<T> work, Function<T, Ending> ending)
            throws Exception;

    /**
     * Calls {@code work}, which others have asked for, in a span of its own.
     *
     * @param context the result of {@link #current} where the work was asked for; null: there is none
     */
    <T> T working(String name, Map<String, String> attributes, @Nullable String context, Callable<T> work)
            throws Exception;

    /**
     * As {@link #working(String, Map, String, Callable)}, for work whose result tells how it has ended.
     *
     * @param ending of the result; not called if the work throws
     */
    <T> T working(
            String name,
            Map<String, String> attributes,
            @Nullable String context,
            Callable<T> work,
            Function<T, Ending> ending)
            throws Exception;

    /**
     * Calls {@code work}, the run of a message, in a span of its own; without one where a framework makes them.
     *
     * @param headers the result of {@link #headers} where the message was sent; empty: there are none
     * @param ending of the result; not called if the work throws
     */
    <T> T consuming(
            String name,
            Map<String, String> attributes,
            Map<String, String> headers,
            Callable<T> work,
            Function<T, Ending> ending)
            throws Exception;

    /** Returns whether spans go anywhere: whether the program has set up tracing by now. */
    boolean isOn();

    /**
     * The end of some work.
     *
     * @param failed whether it did not succeed
     * @param attributes to be added to the span
     */
    record Ending(boolean failed, Map<String, String> attributes) {}

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
