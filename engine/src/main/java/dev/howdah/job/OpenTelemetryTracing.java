package dev.howdah.job;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** Carries the context of OpenTelemetry. Loaded only where its API is there. */
final class OpenTelemetryTracing implements Tracing {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final W3CTraceContextPropagator PROPAGATOR = W3CTraceContextPropagator.getInstance();

    private static final TextMapGetter<Map<String, String>> HEADERS = new TextMapGetter<>() {
        @Override
        public Iterable<String> keys(Map<String, String> carrier) {
            return carrier.keySet();
        }

        @Override
        public @Nullable String get(@Nullable Map<String, String> carrier, String key) {
            return carrier == null ? null : carrier.get(key);
        }
    };

    @Override
    public @Nullable String current() {
        if (!Span.current().getSpanContext().isValid()) return null;
        ObjectNode headers = JSON.createObjectNode();
        PROPAGATOR.inject(Context.current(), headers, (carrier, key, value) -> {
            if (carrier != null) carrier.put(key, value);
        });
        return headers.toString();
    }

    @Override
    public <T> T within(Map<String, String> headers, Callable<T> work) throws Exception {
        // Others may have left something in this thread.
        Context carried = PROPAGATOR.extract(Context.root(), headers, HEADERS);
        try (Scope scope = carried.makeCurrent()) {
            return work.call();
        }
    }
}
