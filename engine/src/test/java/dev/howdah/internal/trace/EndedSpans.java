package dev.howdah.internal.trace;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.TracerProvider;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Keeps the spans that have ended, for tests. */
public final class EndedSpans implements SpanExporter {
    private final Queue<SpanData> ended = new ConcurrentLinkedQueue<>();

    private static final class Global {
        private static final EndedSpans SPANS = new EndedSpans();

        static {
            SdkTracerProvider provider = SPANS.provider();
            GlobalOpenTelemetry.set(new OpenTelemetry() {
                @Override
                public TracerProvider getTracerProvider() {
                    return provider;
                }

                @Override
                public ContextPropagators getPropagators() {
                    return ContextPropagators.noop();
                }
            });
        }
    }

    /** The spans of this program, which is set up for that by the first call. */
    public static EndedSpans global() {
        return Global.SPANS;
    }

    /** They, in the order in which they have ended. */
    public Queue<SpanData> all() {
        return ended;
    }

    /** Whose spans are kept. */
    public SdkTracerProvider provider() {
        return SdkTracerProvider.builder()
                .addSpanProcessor(SimpleSpanProcessor.create(this))
                .build();
    }

    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
        ended.addAll(spans);
        return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode flush() {
        return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode shutdown() {
        return CompletableResultCode.ofSuccess();
    }
}
