package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.error.HostileException;
import dev.howdah.internal.error.HostileException.Way;
import dev.howdah.internal.error.RecordedLog;
import dev.howdah.spi.Metrics;
import dev.howdah.spi.PayloadCodec;
import dev.howdah.spi.RetryPolicy;
import java.io.FileNotFoundException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** Errors of attempts: nothing that user code throws ends a worker, and what it threw can be read in the row and in the log. */
@PostgresTest
class JobErrorTest {
    private static final Kind<Long> WORK = Kind.of("work", Long.class);
    private static final Duration SOON = Duration.ofMillis(5);

    private final JobsDatabase database;

    JobErrorTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    @Test
    void handler_throwsWhateverItLikes_attemptFailsAndWorkerGoesOn() {
        Kind<String> kind = Kind.of("hostile", String.class);
        List<String> ways =
                new ArrayList<>(Stream.of(Way.values()).map(Way::name).toList());
        ways.addAll(List.of("thread death", "internal error", "no memory", "sneaky", "interrupted"));
        try (Jobs jobs = database.jobs()
                .concurrency(1)
                .defaultRetries(RetryPolicy.after(SOON))
                .handle(kind, (payload, job) -> {
                    if (!payload.equals("fine")) throw JobErrorTest.<RuntimeException>thrown(payload);
                })
                .start()) {
            Map<String, Long> ids = new LinkedHashMap<>();
            for (String way : ways) ids.put(way, jobs.add(kind, way));
            ids.values().forEach(database::awaitFailed);
            database.awaitLetters(jobs.add(kind, "fine"), "d");
            // One that has not begun on a busy machine may be given back, which is no attempt.
            ids.forEach((way, id) ->
                    assertThat(database.letters(id).replace("g", "")).as(way).isEqualTo("rf"));
            for (Way way : Way.values())
                assertThat(database.failed(Objects.requireNonNull(ids.get(way.name())), "error"))
                        .as(way.name())
                        .startsWith(HostileException.class.getName())
                        .hasSizeLessThan(8_100);
        }
    }

    @SuppressWarnings({"unchecked", "removal"})
    private static <E extends Throwable> RuntimeException thrown(String way) throws E {
        switch (way) {
            case "thread death" -> throw new ThreadDeath();
            case "internal error" -> throw new InternalError("hostile");
            case "no memory" -> throw new OutOfMemoryError("hostile");
            case "sneaky" -> throw (E) new Throwable("neither an exception nor an error");
            case "interrupted" -> {
                Thread.currentThread().interrupt();
                throw (E) new InterruptedException();
            }
            default -> throw new HostileException(Way.valueOf(way));
        }
    }

    @Test
    void retryPolicy_throwsWhateverItLikes_jobFailsAndWorkerGoesOn() {
        RetryPolicy policy = (attempt, failure) -> {
            if (String.valueOf(failure.getMessage()).equals("error")) throw new NoClassDefFoundError("a/B");
            if (String.valueOf(failure.getMessage()).equals("null")) return nothing();
            if (String.valueOf(failure.getMessage()).equals("long"))
                return Optional.of(Duration.ofSeconds(Long.MAX_VALUE));
            throw new HostileException(Way.MESSAGE_THROWS_ERROR);
        };
        Kind<String> kind = Kind.of("text", String.class);
        try (Jobs jobs = database.jobs()
                .concurrency(1)
                .defaultRetries(policy)
                .handleWithOutcome(kind, (payload, job) -> {
                    if (payload.equals("fine")) return Outcome.done();
                    if (payload.equals("asks")) return Outcome.retry(SOON, "asks");
                    throw new IllegalStateException(payload);
                })
                .start()) {
            List<Long> failing = Stream.of("error", "null", "long", "other", "asks")
                    .map(each -> jobs.add(kind, each))
                    .toList();
            failing.forEach(database::awaitFailed);
            database.awaitLetters(jobs.add(kind, "fine"), "d");
            assertThat(database.failed(failing.get(0), "error"))
                    .startsWith("java.lang.IllegalStateException: error; and its retry policy failed:"
                            + " java.lang.NoClassDefFoundError: a/B\n\tat ");
            assertThat(database.failed(failing.get(3), "error")).contains("its retry policy failed");
            assertThat(database.failed(failing.get(4), "error")).startsWith("asks; and its retry policy failed");
        }
    }

    @SuppressWarnings({"NullAway", "DataFlowIssue", "OptionalAssignedToNull"}) // what code without null checks may do
    private static Optional<Duration> nothing() {
        return null;
    }

    @Test
    void codec_throwsWhateverItLikes_attemptFailsAndWorkerGoesOn() {
        PayloadCodec hostile = new PayloadCodec() {
            @Override
            public String encode(Object payload) {
                if (payload.equals("result")) throw new HostileException(Way.MESSAGE_THROWS_ERROR);
                return "\"" + payload + "\"";
            }

            @Override
            public <T> T decode(String json, Class<T> type) {
                if (json.contains("no class")) throw new NoClassDefFoundError("a/B");
                if (json.contains("hostile")) throw new HostileException(Way.CAUSES_NEVER_END);
                if (json.contains("wrong")) throw new IllegalArgumentException("its payload is wrong");
                return type.cast(json.substring(1, json.length() - 1));
            }
        };
        Kind<String> kind = Kind.of("text", String.class);
        try (Jobs jobs = database.jobs()
                .concurrency(1)
                .codec(hostile)
                .defaultRetries(RetryPolicy.after(SOON))
                .handle(kind, (payload, job) -> {
                    if (payload.equals("leaves")) job.result("result");
                })
                .start()) {
            List<Long> failing = Stream.of("no class", "hostile", "leaves")
                    .map(each -> jobs.add(kind, each))
                    .toList();
            long wrong = jobs.add(kind, "wrong");
            failing.forEach(database::awaitFailed);
            database.awaitFailed(wrong);
            database.awaitLetters(jobs.add(kind, "fine"), "d");
            for (long each : failing) assertThat(database.letters(each)).isEqualTo("rf");
            assertThat(database.letters(wrong)).isEqualTo("rf");
            assertThat(database.failed(wrong, "error")).isEqualTo("its payload is wrong");
        }
    }

    @Test
    void metrics_throwWhateverTheyLike_jobsAreWorked() {
        Metrics hostile = new Metrics() {
            @Override
            public Counter counter(String name, String help, Map<String, String> labels) {
                return count -> {
                    throw new NoClassDefFoundError("a/B");
                };
            }

            @Override
            @SuppressWarnings("NullAway")
            public Timer timer(String name, String help, Map<String, String> labels) {
                return null;
            }

            @Override
            public Gauge gauge(String name, String help, Map<String, String> labels) {
                throw new HostileException(Way.MESSAGE_THROWS);
            }
        };
        try (Jobs jobs = database.jobs()
                .metrics(hostile)
                .defaultRetries(RetryPolicy.never())
                .handle(WORK, (payload, job) -> {
                    if (payload == 1) throw new IllegalStateException("no");
                })
                .start()) {
            jobs.addAll(
                    LongStream.range(0, 1_000).mapToObj(n -> NewJob.of(WORK, n)).toList());
            database.awaitEmpty();
            assertThat(database.ended("d")).isEqualTo(999);
        }
    }

    @Test
    void transactionalHandler_throwsWhateverItLikes_attemptFailsAndWorkerGoesOn() {
        Kind<String> kind = Kind.of("hostile", String.class);
        try (Jobs jobs = database.jobs()
                .concurrency(1)
                .defaultRetries(RetryPolicy.never())
                .handleInTransaction(kind, (payload, job, connection) -> {
                    if (!payload.equals("fine")) throw JobErrorTest.<RuntimeException>thrown(payload);
                })
                .start()) {
            List<Long> failing = Stream.of(Way.MESSAGE_THROWS.name(), "no memory", "sneaky", "interrupted")
                    .map(each -> jobs.add(kind, each))
                    .toList();
            failing.forEach(database::awaitFailed);
            database.awaitLetters(jobs.add(kind, "fine"), "d");
        }
    }

    @Test
    void error_keepsClassMessageCausesAndTrace_firstLineIsShownInLists() {
        try (Jobs jobs = database.jobs()
                .defaultRetries(RetryPolicy.after(SOON, Duration.ofDays(1)))
                .handle(WORK, (payload, job) -> {
                    if (payload == 1)
                        throw new ExecutionException(
                                "outer", new FileNotFoundException("/etc/x" + (char) 0 + "\n(no such file)"));
                    throw new FatalException("no card", new IllegalStateException("inner reason"));
                })
                .start()) {
            long retried = jobs.add(WORK, 1L);
            long fatal = jobs.add(WORK, 2L);
            database.awaitLetters(retried, "rr");
            database.awaitFailed(fatal);
            assertThat(database.attempt(retried, "a.error"))
                    .startsWith("java.util.concurrent.ExecutionException: outer\n\tat "
                            + getClass().getName())
                    .contains("\nCaused by: java.io.FileNotFoundException: /etc/x\uFFFD; (no such file)\n\t");
            assertThat(database.text("SELECT error FROM howdah.jobs WHERE id = " + retried))
                    .isEqualTo("java.util.concurrent.ExecutionException: outer");
            assertThat(database.failed(fatal, "error"))
                    .startsWith("no card\n\tat ")
                    .contains("\nCaused by: java.lang.IllegalStateException: inner reason");
            assertThat(database.rows("SELECT state, error FROM howdah.errors"))
                    .containsExactlyInAnyOrder(
                            List.of("retrying", "java.util.concurrent.ExecutionException: outer"),
                            List.of("failed", "no card"));
        }
    }

    @Test
    void fatalException_amongTheCauses_failsAtOnce() {
        Throwable wrapped = new RuntimeException(new ExecutionException(new FatalException("bad card")));
        try (Jobs jobs = database.jobs()
                .handle(WORK, (payload, job) -> {
                    throw (RuntimeException) wrapped;
                })
                .start()) {
            long id = jobs.add(WORK, 1L);
            database.awaitFailed(id);
            assertThat(database.letters(id)).isEqualTo("f");
            assertThat(database.failed(id, "error")).contains("\nCaused by: dev.howdah.job.FatalException: bad card");
        }
    }

    @Test
    void outcome_withoutAReason_isWhatItSays() {
        Kind<String> kind = Kind.of("text", String.class);
        try (Jobs jobs = database.jobs()
                .defaultRetries(RetryPolicy.after(SOON))
                .handleWithOutcome(
                        kind,
                        (payload, job) ->
                                payload.equals("fail") ? Outcome.fail(null) : Outcome.retry(Duration.ofHours(1), null))
                .start()) {
            long failed = jobs.add(kind, "fail");
            long retried = jobs.add(kind, "retry");
            database.awaitFailed(failed);
            assertThat(database.letters(failed)).isEqualTo("f");
            assertThat(database.failed(failed, "error")).isEqualTo("no reason given");
            database.awaitLetters(retried, "r");
            assertThat(database.text("SELECT run_at > now() + interval '30 min' FROM howdah_internal.job"))
                    .isEqualTo("t");
        }
    }

    @Test
    void outcomeRetry_attemptsOfThePolicyAreUsedUp_jobHasFailed() {
        try (Jobs jobs = database.jobs()
                .defaultRetries(RetryPolicy.linear(Duration.ofDays(1), 4))
                .handleWithOutcome(WORK, (payload, job) -> Outcome.retry(Duration.ZERO, "busy"))
                .start()) {
            long id = jobs.add(WORK, 1L);
            database.awaitFailed(id);
            assertThat(database.letters(id)).isEqualTo("rrrf");
            assertThat(database.failed(id, "error")).isEqualTo("busy");
            long twice = jobs.add(NewJob.of(WORK, 1L).maxAttempts(2)).id();
            database.awaitFailed(twice);
            assertThat(database.letters(twice)).isEqualTo("rf");
        }
    }

    @Test
    void options_ofAHandler_comeBeforeTheDefaults_inAnyOrder() {
        Kind<Long> other = Kind.of("other", Long.class);
        try (Jobs jobs = database.jobs()
                .handle(WORK, (payload, job) -> {
                    throw new IllegalStateException("no");
                })
                .handle(
                        other,
                        (payload, job) -> {
                            throw new IllegalStateException("no");
                        },
                        options -> options.retries(RetryPolicy.after(Duration.ZERO, Duration.ZERO)))
                .defaultRetries(RetryPolicy.never())
                .start()) {
            long first = jobs.add(WORK, 1L);
            long second = jobs.add(other, 1L);
            database.awaitFailed(first);
            database.awaitFailed(second);
            assertThat(database.letters(first)).isEqualTo("f");
            assertThat(database.letters(second)).isEqualTo("rrf");
        }
    }

    @Test
    void timeout_ofAHandler_comesBeforeTheDefault() {
        try (Jobs jobs = database.jobs()
                .defaultTimeout(Duration.ofHours(1))
                .defaultRetries(RetryPolicy.never())
                .handle(
                        WORK,
                        (payload, job) -> new CountDownLatch(1).await(),
                        options -> options.timeout(Duration.ofMillis(20)))
                .start()) {
            long id = jobs.add(WORK, 1L);
            database.awaitFailed(id);
            assertThat(database.failed(id, "error")).contains("Interrupted");
        }
    }

    @Test
    @SuppressWarnings({"NullAway", "DataFlowIssue"}) // what code without null checks may do
    void arguments_thatAreNull_areRefusedAtOnce() {
        assertThatThrownBy(() -> Kind.of("x", (Class<String>) null)).hasMessageContaining("the kind x needs a type");
        assertThatThrownBy(() -> NewJob.of(null, "x")).hasMessageContaining("needs a kind");
        assertThatThrownBy(() -> Jobs.on((DataSource) null)).hasMessageContaining("need a data source");
        assertThatThrownBy(() -> Outcome.snooze(null)).hasMessageContaining("a delay is needed");
        assertThat(Schedule.every("s", Duration.ofHours(1))).asString().startsWith("s: every PT1H");
    }

    @Test
    void failedAttempts_areLogged_retryInOneLineAndLastWithTrace() {
        RecordedLog log = new RecordedLog();
        try (Jobs jobs = database.jobs()
                .log(log.logger())
                .defaultRetries(RetryPolicy.after(SOON))
                .handleWithOutcome(WORK, (payload, job) -> {
                    if (payload == 1) throw new IllegalStateException("no\nluck");
                    return payload == 2 ? Outcome.fail("said so") : Outcome.done();
                })
                .start()) {
            long thrown = jobs.add(WORK, 1L);
            database.awaitFailed(thrown);
            long said = jobs.add(WORK, 2L);
            database.awaitFailed(said);
            database.awaitLetters(jobs.add(WORK, 3L), "d");
            assertThat(log.lines())
                    .containsExactly(
                            "WARN attempt 1 of job " + thrown
                                    + " (default, work) failed, next one in 0.005 s: java.lang.IllegalStateException: no; luck"
                                    + " [java.lang.IllegalStateException]",
                            "ERROR job " + thrown
                                    + " (default, work) failed for good with attempt 2:"
                                    + " java.lang.IllegalStateException: no; luck [java.lang.IllegalStateException]",
                            "ERROR job " + said + " (default, work) failed for good with attempt 1: said so");
        }
    }

    @Test
    void manyJobsFailWithLongErrors_areSettledInBatches() {
        int count = 2_000;
        try (Jobs jobs = database.jobs()
                .defaultRetries(RetryPolicy.never())
                .handle(WORK, (payload, job) -> {
                    throw new IllegalStateException("no luck ".repeat(200) + payload, new RuntimeException("cause"));
                })
                .start()) {
            jobs.addAll(
                    LongStream.range(0, count).mapToObj(n -> NewJob.of(WORK, n)).toList());
            JobsDatabase.awaiting("all have failed")
                    .atMost(Patience.LIMIT)
                    .until(() -> database.number("SELECT count(*) FROM howdah_internal.failed") == count);
            assertThat(database.number(
                            "SELECT count(*) FROM howdah_internal.failed WHERE length(error) BETWEEN 1600 AND 8003"))
                    .isEqualTo(count);
            assertThat(database.number("SELECT count(DISTINCT id) FROM howdah_internal.batch"))
                    .isLessThan(count / 10);
        }
    }
}
