package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.trace.EndedSpans;
import dev.howdah.internal.trace.Tracing;
import dev.howdah.job.internal.execute.JobExecutor;
import dev.howdah.job.internal.insert.InsertStatements;
import dev.howdah.spi.RetryPolicy;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.io.File;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The context of traces goes from whoever adds a job to its handler, with the real OpenTelemetry; without it nothing does. */
@PostgresTest
class JobTracingTest {
    private static final Kind<String> WORK = Kind.of("work", String.class);

    private final JobsDatabase database;
    private final EndedSpans spans = new EndedSpans();
    private final SdkTracerProvider provider = spans.provider();
    private final Tracer tracer = provider.get("test");
    /** Of the library. */
    private final EndedSpans runs = EndedSpans.global();

    private final Queue<SpanContext> seen = new ConcurrentLinkedQueue<>();

    JobTracingTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    @AfterEach
    void close() {
        provider.close();
    }

    private Jobs jobs() {
        return database.jobs()
                .defaultRetries(RetryPolicy.after(Duration.ofMillis(1)))
                .handle(WORK, (payload, job) -> {
                    seen.add(Span.current().getSpanContext());
                    tracer.spanBuilder("works").startSpan().end();
                    if (payload.equals("twice") && job.attempt() == 1) throw new IllegalStateException("once more");
                })
                .start();
    }

    /** The span of the run of a job in which that context was the current one. */
    private SpanData run(SpanContext within) {
        return runs.all().stream()
                .filter(each -> each.getSpanId().equals(within.getSpanId()))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void job_hasASpanForEachRun_asMessagingHasThem() {
        Kind<String> mail = Kind.of("mail", String.class).queue("mails");
        Span span = tracer.spanBuilder("adds").startSpan();
        long id;
        try (Jobs jobs = database.jobs()
                        .defaultRetries(RetryPolicy.after(Duration.ofMillis(1)))
                        .handleWithOutcome(mail, (payload, job) -> {
                            seen.add(Span.current().getSpanContext());
                            if (job.attempt() == 1) throw new IllegalStateException("once more");
                            return Outcome.fail("refused");
                        })
                        .start();
                Scope scope = span.makeCurrent()) {
            id = jobs.add(mail, "a");
            database.awaitFailed(id);
            assertThat(scope).isNotNull();
        }
        JobsDatabase.awaiting("both spans have ended")
                .until(() -> runs.all().stream()
                                .filter(each -> each.getTraceId()
                                        .equals(span.getSpanContext().getTraceId()))
                                .count()
                        == 2);
        assertThat(seen).hasSize(2).map(this::run).allSatisfy(each -> {
            assertThat(each.getName()).isEqualTo("process mails");
            assertThat(each.getKind()).isEqualTo(SpanKind.CONSUMER);
            assertThat(each.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
            assertThat(each.getParentSpanId()).isEqualTo(span.getSpanContext().getSpanId());
            assertThat(each.getAttributes().asMap().toString())
                    .contains(
                            "messaging.system=howdah",
                            "messaging.operation.type=process",
                            "messaging.destination.name=mails",
                            "messaging.message.id=" + id,
                            "howdah.kind=mail");
        });
        assertThat(seen)
                .map(each -> run(each).getAttributes().get(AttributeKey.stringKey("howdah.attempt")))
                .containsExactly("1", "2");
    }

    @Test
    void job_addedWithinASpan_runsWithinItsContext() {
        Span span = tracer.spanBuilder("adds").startSpan();
        try (Jobs jobs = jobs();
                Scope scope = span.makeCurrent()) {
            List<Long> ids = new ArrayList<>(jobs.addAll(List.of(NewJob.of(WORK, "a"), NewJob.of(WORK, "b"))));
            ids.add(jobs.add(NewJob.of(WORK, "c").orderKey("o").maxAttempts(3)).id());
            for (long id : ids) database.awaitLetters(id, "d");
            database.awaitLetters(jobs.add(WORK, "twice"), "rd");
            assertThat(scope).isNotNull();
        }
        assertThat(seen).hasSize(5).allSatisfy(context -> {
            assertThat(context.getTraceId()).isEqualTo(span.getSpanContext().getTraceId());
            assertThat(run(context).getParentSpanId())
                    .isEqualTo(span.getSpanContext().getSpanId());
            assertThat(context.isSampled()).isTrue();
        });
        assertThat(spans.all())
                .extracting(SpanData::getParentSpanId)
                .containsExactlyInAnyOrderElementsOf(
                        seen.stream().map(SpanContext::getSpanId).toList());
    }

    @Test // in the caller's transaction it does not stay: what is added after it has its own
    void job_withAKey_takesTheContextOfItsSpanAlone() throws Exception {
        Span span = tracer.spanBuilder("adds").startSpan();
        try (Jobs jobs = jobs();
                Connection connection = database.connect()) {
            connection.setAutoCommit(false);
            NewJob<String> keyed = NewJob.of(WORK, "a").key("k");
            try (Scope scope = span.makeCurrent()) {
                assertThat(jobs.add(connection, keyed).added()).isTrue();
                assertThat(jobs.add(connection, keyed).added()).isFalse();
                assertThat(scope).isNotNull();
            }
            jobs.add(connection, NewJob.of(WORK, "b").key("l"));
            connection.commit();
            database.awaitEmpty();
        }
        assertThat(seen.stream().map(this::run).map(SpanData::getParentSpanId))
                .containsExactlyInAnyOrder(
                        span.getSpanContext().getSpanId(),
                        SpanContext.getInvalid().getSpanId());
    }

    @Test
    void job_addedInSql_takesTheContextThatItsTransactionSays() throws Exception {
        String trace = "0af7651916cd43dd8448eb211c80319c";
        try (Jobs jobs = jobs();
                Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("SET LOCAL howdah.traceparent = '00-" + trace + "-b7ad6b7169203331-01'");
            statement.execute("SET LOCAL howdah.tracestate = 'a=1'");
            statement.execute("SELECT howdah.add('default', 'work', '\"one\"')");
            statement.execute("SELECT howdah.add_many('default', 'work', ARRAY['\"two\"'])");
            connection.commit();
            statement.execute("SET LOCAL howdah.traceparent = 'nonsense'");
            statement.execute("SELECT howdah.add('default', 'work', '\"three\"')");
            connection.commit();
            database.awaitEmpty();
            assertThat(jobs.node()).isPositive();
        }
        assertThat(seen.stream().filter(each -> each.getTraceId().equals(trace)))
                .hasSize(2)
                .allSatisfy(context -> {
                    assertThat(context.getTraceState().get("a")).isEqualTo("1");
                });
        assertThat(seen).hasSize(3);
    }

    @Test // a setting that was never set is NULL; after SET LOCAL it is empty for the rest of the session
    void job_addedInSqlWithoutATrace_hasNothingUnusual() throws Exception {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("SELECT howdah.add('q', 'never set', '1')");
            statement.execute("SELECT howdah.add_many('q', 'never set', ARRAY['1'])");
            connection.setAutoCommit(false);
            statement.execute(
                    "SET LOCAL howdah.traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'");
            connection.commit();
            statement.execute("SELECT howdah.add('q', 'set before', '1')");
            statement.execute("SET LOCAL howdah.tracestate = 'a=1'");
            statement.execute("SELECT howdah.add('q', 'without its parent', '1')");
            connection.commit();
        }
        assertThat(database.rows("SELECT kind, more FROM howdah_internal.job WHERE more IS NOT NULL"))
                .isEmpty();
        assertThat(database.waiting()).isEqualTo(4);
        assertThat(database.rows("SELECT WHERE howdah_internal.trace() IS NOT NULL"))
                .isEmpty();
    }

    @Test
    void job_addedWithoutASpan_hasNothingUnusual() {
        try (Jobs jobs = database.jobs().start()) {
            jobs.add(WORK, "a");
            assertThat(database.number("SELECT count(*) FROM howdah_internal.job WHERE more IS NULL"))
                    .isEqualTo(1);
        }
        try (Jobs jobs = jobs()) {
            database.awaitEmpty();
            assertThat(jobs.node()).isPositive();
        }
        assertThat(seen)
                .singleElement()
                .satisfies(context -> assertThat(
                                run(context).getParentSpanContext().isValid())
                        .isFalse());
    }

    @Test // what has no context does not run in that of the job before it
    void jobs_oneAfterTheOther_doNotInheritContexts() {
        Span span = tracer.spanBuilder("adds").startSpan();
        try (Jobs jobs = database.jobs()
                .concurrency(1)
                .handle(WORK, (payload, job) -> seen.add(Span.current().getSpanContext()))
                .start()) {
            try (Scope scope = span.makeCurrent()) {
                database.awaitLetters(jobs.add(WORK, "a"), "d");
                assertThat(scope).isNotNull();
            }
            database.awaitLetters(jobs.add(WORK, "b"), "d");
        }
        assertThat(seen.stream().map(each -> run(each).getParentSpanContext().isValid()))
                .containsExactly(true, false);
    }

    @Test
    void openTelemetry_notOnTheClassPath_isNotMissed() throws Exception {
        URL[] without = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !entry.contains("opentelemetry"))
                .map(entry -> url(new File(entry)))
                .toArray(URL[]::new);
        try (URLClassLoader loader = new URLClassLoader(without, ClassLoader.getPlatformClassLoader())) {
            Class<?> tracing = loader.loadClass(Tracing.class.getName());
            Method find = tracing.getDeclaredMethod("find", Class.class);
            find.setAccessible(true);
            Object found = find.invoke(null, tracing);
            assertThat(found.getClass().getName()).isEqualTo("dev.howdah.internal.trace.NoTracing");
            assertThat(loader.loadClass(InsertStatements.class.getName()).getClassLoader())
                    .isSameAs(loader);
            Class.forName(InsertStatements.class.getName(), true, loader);
            Class.forName(JobExecutor.class.getName(), true, loader);
        }
    }

    private static URL url(File file) {
        try {
            return file.toURI().toURL();
        } catch (java.net.MalformedURLException e) {
            throw new AssertionError(e);
        }
    }
}
