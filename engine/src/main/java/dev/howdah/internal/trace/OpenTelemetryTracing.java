package dev.howdah.internal.trace;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.internal.error.ErrorText;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Carries the context of OpenTelemetry, and tells whatever the program has set up for it. Loaded only where its API is there. */
final class OpenTelemetryTracing implements Tracing {
    private static final Logger log = LoggerFactory.getLogger(OpenTelemetryTracing.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final TypeReference<Map<String, String>> MAP = new TypeReference<>() {};
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
        Map<String, String> headers = headers();
        if (headers.isEmpty()) return null;
        ObjectNode json = JSON.createObjectNode();
        headers.forEach(json::put);
        return json.toString();
    }

    @Override
    public Map<String, String> headers() {
        if (!Span.current().getSpanContext().isValid()) return Map.of();
        Map<String, String> headers = new LinkedHashMap<>();
        PROPAGATOR.inject(Context.current(), headers, (carrier, key, value) -> {
            if (carrier != null) carrier.put(key, value);
        });
        return headers;
    }

    @Override
    public <T> Callable<T> carried(Callable<T> work) {
        return Context.current().wrap(work);
    }

    @Override
    public void note(String attribute, long value) {
        Span.current().setAttribute(attribute, value);
    }

    @Override
    public <T> T within(Map<String, String> headers, Callable<T> work) throws Exception {
        try (Scope scope = carried(headers).makeCurrent()) {
            return work.call();
        }
    }

    /** Others may have left something in this thread. */
    private static Context carried(Map<String, String> headers) {
        return PROPAGATOR.extract(Context.root(), headers, HEADERS);
    }

    @Override
    public <T> T asking(String name, Map<String, String> attributes, Callable<T> work) throws Exception {
        return spanned(name, SpanKind.CLIENT, attributes, Context.current(), work, null);
    }

    @Override
    public <T> T asking(String name, Map<String, String> attributes, Callable<T> work, Function<T, Ending> ending)
            throws Exception {
        return spanned(name, SpanKind.CLIENT, attributes, Context.current(), work, ending);
    }

    @Override
    public <T> T working(String name, Map<String, String> attributes, @Nullable String context, Callable<T> work)
            throws Exception {
        return spanned(name, SpanKind.CONSUMER, attributes, parent(context), work, null);
    }

    @Override
    public <T> T working(
            String name,
            Map<String, String> attributes,
            @Nullable String context,
            Callable<T> work,
            Function<T, Ending> ending)
            throws Exception {
        return spanned(name, SpanKind.CONSUMER, attributes, parent(context), work, ending);
    }

    @Override
    public <T> T consuming(
            String name,
            Map<String, String> attributes,
            Map<String, String> headers,
            Callable<T> work,
            Function<T, Ending> ending)
            throws Exception {
        if (OpenTelemetrySource.hasObservedRuns()) return within(headers, work);
        return spanned(name, SpanKind.CONSUMER, attributes, carried(headers), work, ending);
    }

    @Override
    public boolean isOn() {
        return OpenTelemetrySource.current() != OpenTelemetry.noop();
    }

    private static Context parent(@Nullable String context) {
        return context == null ? Context.root() : read(context);
    }

    private static Context read(String context) {
        try {
            return carried(JSON.readValue(context, MAP));
        } catch (JsonProcessingException e) {
            // Whatever that is, it is no reason not to do the work.
            return Context.root();
        }
    }

    private static <T> T spanned(
            String name,
            SpanKind kind,
            Map<String, String> attributes,
            Context parent,
            Callable<T> work,
            @Nullable Function<T, Ending> ending)
            throws Exception {
        SpanBuilder builder = tracer().spanBuilder(name).setSpanKind(kind).setParent(parent);
        attributes.forEach(builder::setAttribute);
        Span span = builder.startSpan();
        try (Scope scope = span.storeInContext(parent).makeCurrent()) {
            T result = work.call();
            if (ending != null) record(span, ending.apply(result));
            return result;
        } catch (Throwable e) {
            record(span, e);
            throw e;
        } finally {
            span.end();
        }
    }

    private static void record(Span span, Ending ending) {
        ending.attributes().forEach(span::setAttribute);
        if (ending.failed()) span.setStatus(StatusCode.ERROR);
    }

    /** The library calls methods of the throwable, and is no reason to end otherwise than by it. */
    private static void record(Span span, Throwable thrown) {
        try {
            span.setStatus(StatusCode.ERROR, ErrorText.message(thrown));
            if (ErrorText.of(thrown).isRegular()) span.recordException(thrown);
        } catch (Throwable e) {
            log.debug("an error could not be recorded in its span: {}", ErrorText.line(e));
        }
    }

    private static Tracer tracer() {
        return OpenTelemetrySource.current().getTracer("dev.howdah");
    }
}
