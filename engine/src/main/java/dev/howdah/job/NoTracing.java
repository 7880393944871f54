package dev.howdah.job;

import java.util.Map;
import java.util.concurrent.Callable;
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
    public <T> T within(Map<String, String> headers, Callable<T> work) throws Exception {
        return work.call();
    }
}
