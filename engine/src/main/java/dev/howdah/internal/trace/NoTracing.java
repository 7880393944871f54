package dev.howdah.internal.trace;

import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Carries nothing. */
enum NoTracing implements Tracing {
    /** The only one. */
    NONE;

    @Override
    public @Nullable String current() {
        return null;
    }

    @Override
    public Map<String, String> headers() {
        return Map.of();
    }

    @Override
    public <T> Callable<T> carried(Callable<T> work) {
        return work;
    }

    @Override
    public void note(String attribute, long value) {}

    @Override
    public <T> T within(Map<String, String> headers, Callable<T> work) throws Exception {
        return work.call();
    }

    @Override
    public <T> T asking(String name, Map<String, String> attributes, Callable<T> work) throws Exception {
        return work.call();
    }

    @Override
    public <T> T asking(String name, Map<String, String> attributes, Callable<T> work, Function<T, Ending> ending)
            throws Exception {
        return work.call();
    }

    @Override
    public <T> T working(String name, Map<String, String> attributes, @Nullable String context, Callable<T> work)
            throws Exception {
        return work.call();
    }

    @Override
    public <T> T working(
            String name,
            Map<String, String> attributes,
            @Nullable String context,
            Callable<T> work,
            Function<T, Ending> ending)
            throws Exception {
        return work.call();
    }

    @Override
    public <T> T consuming(
            String name,
            Map<String, String> attributes,
            Map<String, String> headers,
            Callable<T> work,
            Function<T, Ending> ending)
            throws Exception {
        return work.call();
    }

    @Override
    public boolean isOn() {
        return false;
    }
}
