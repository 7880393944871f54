package dev.howdah.internal.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.trace.Span;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** With and without the API of OpenTelemetry; what spans tell is proved with jobs and processes. */
class TracingTest {
    private static final String CONTEXT =
            "{\"traceparent\":\"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\"}";

    @Test
    void tracing_ofAProgramThatHasTheApi_isThatOfOpenTelemetry() {
        assertThat(Tracing.find(Tracing.class)).isInstanceOf(OpenTelemetryTracing.class);
    }

    @Test
    void tracing_withoutTheApi_onlyCalls() throws Exception {
        assertThat(NoTracing.NONE.within(Map.of(), () -> "called")).isEqualTo("called");
        assertThat(NoTracing.NONE.asking("asks", Map.of(), () -> "called")).isEqualTo("called");
        assertThat(NoTracing.NONE.working("works", Map.of(), CONTEXT, () -> "called"))
                .isEqualTo("called");
        assertThat(NoTracing.NONE.current()).isNull();
    }

    @Test
    void context_carried_isTheSameTrace() throws Exception {
        Tracing tracing = Tracing.find(Tracing.class);
        assertThat(tracing.working("works", Map.of(), CONTEXT, tracing::current))
                .contains("0af7651916cd43dd8448eb211c80319c");
    }

    @Test
    void context_thatCannotBeRead_isNoReasonNotToWork() throws Exception {
        Tracing tracing = Tracing.find(Tracing.class);
        for (String each : new String[] {"", "no json", "[]", "{\"traceparent\":\"nonsense\"}"})
            assertThat(tracing.working(
                            "works",
                            Map.of(),
                            each,
                            () -> Span.current().getSpanContext().isRemote()))
                    .isFalse();
    }
}
