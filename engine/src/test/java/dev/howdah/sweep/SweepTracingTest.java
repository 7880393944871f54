package dev.howdah.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.trace.EndedSpans;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** Spans of batches, with the real OpenTelemetry. */
@PostgresTest
class SweepTracingTest {
    private static final EndedSpans SPANS = EndedSpans.global();
    private static final int ROWS = 100;

    private final SweepDatabase database;

    SweepTracingTest(TestDatabase database) {
        this.database = SweepDatabase.in(database, ROWS);
    }

    private static List<SpanData> spans(String sweep) {
        return SPANS.all().stream()
                .filter(each -> sweep.equals(each.getAttributes().get(AttributeKey.stringKey("sweep.name"))))
                .toList();
    }

    @Test
    void batch_isASpan_withinWhichTheHandlerWorks() throws InterruptedException {
        Set<String> seen = ConcurrentHashMap.newKeySet();
        try (Sweep sweep = database.mailing()
                .name("traced mailing")
                .batch(10)
                .forEachRow(row -> seen.add(Span.current().getSpanContext().getSpanId()))
                .start()) {
            assertThat(sweep.join().done()).isEqualTo(ROWS);
        }
        List<SpanData> spans = spans("traced mailing");
        assertThat(spans).hasSizeGreaterThanOrEqualTo(ROWS / 10).allSatisfy(each -> {
            assertThat(each.getName()).isEqualTo("sweep batch");
            assertThat(each.getKind()).isEqualTo(SpanKind.CONSUMER);
            assertThat(Integer.parseInt(String.valueOf(each.getAttributes().get(AttributeKey.stringKey("sweep.rows")))))
                    .isBetween(1, 10);
        });
        assertThat(spans.stream().map(SpanData::getSpanId)).containsAll(seen);
    }
}
