package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.spi.PayloadCodec;
import dev.howdah.spi.RetryPolicy;
import dev.howdah.spi.TypeReference;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Bad input: what may be added, and what is said of the rest. */
@PostgresTest
class JobInputTest {
    private static final Kind<String> TEXT = Kind.of("text", String.class);

    private final JobsDatabase database;

    JobInputTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    @Tag("long")
    @Test // large ones are kept apart, and go when they are done
    void payloads_ofAllSizes_arriveAsTheyWere() {
        Queue<Integer> lengths = new ConcurrentLinkedQueue<>();
        try (Jobs jobs = database.jobs()
                .handle(TEXT, (payload, job) -> lengths.add(payload.length()))
                .start()) {
            jobs.add(TEXT, "x".repeat(8_000));
            jobs.add(TEXT, "x".repeat(9_000));
            jobs.addAll(List.of(NewJob.of(TEXT, ""), NewJob.of(TEXT, "x".repeat(1_000_000)), NewJob.of(TEXT, "x")));
            jobs.add(TEXT, "x".repeat(100_000_000));
            JobsDatabase.awaiting("all have run").atMost(Patience.LIMIT).until(() -> lengths.size() == 6);
            database.awaitEmpty();
        }
        assertThat(lengths).containsExactlyInAnyOrder(8_000, 9_000, 0, 1_000_000, 1, 100_000_000);
        assertThat(database.number("SELECT count(*) FROM howdah_internal.body")).isZero();
    }

    @Test // jobs that are about nothing but their kind
    void payload_isNull_isRefusedUnlessTheKindHasNone() {
        Kind<Void> tick = Kind.of("tick", Void.class);
        Queue<String> given = new ConcurrentLinkedQueue<>();
        try (Jobs jobs = database.jobs()
                .defaultRetries(RetryPolicy.never())
                .handle(tick, (payload, job) -> given.add(job.id() + " " + payload))
                .handle(TEXT, (payload, job) -> given.add(payload))
                .start()) {
            long java = jobs.add(NewJob.of(tick)).id();
            long sql = database.number("SELECT id FROM howdah.add('default', 'tick')");
            long untyped = database.number("SELECT id FROM howdah.add('default', 'text')");
            for (long each : List.of(java, sql)) database.awaitLetters(each, "d");
            assertThat(given).containsExactlyInAnyOrder(java + " null", sql + " null");
            database.awaitFailed(untyped);
            assertThat(database.failed(untyped, "error")).contains("its payload is null");
            assertThatThrownBy(() -> jobs.add(TEXT, nothing()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(
                            "the payload of a job text is null: it has to be a String; a job without a payload is of a"
                                    + " kind Kind.of(name, Void.class)");
        }
    }

    @SuppressWarnings("NullAway")
    private static String nothing() {
        return null;
    }

    @Test
    void payload_withCharacterZeroOrLoneSurrogate_arrivesAsJsonSaysIt() {
        Queue<String> texts = new ConcurrentLinkedQueue<>();
        try (Jobs jobs = database.jobs()
                .handle(TEXT, (payload, job) -> texts.add(payload))
                .start()) {
            jobs.add(TEXT, "a\0b");
            jobs.addAll(List.of(NewJob.of(TEXT, "c\0\uD83D\uDE00"), NewJob.of(TEXT, "'\"\\{},NULL")));
            database.awaitEmpty();
        }
        assertThat(texts).containsExactlyInAnyOrder("a\0b", "c\0\uD83D\uDE00", "'\"\\{},NULL");
    }

    /** Says what it is given, JSON or not. */
    private static final PayloadCodec RAW = new PayloadCodec() {
        @Override
        public String encode(Object payload) {
            return payload.toString();
        }

        @Override
        public <T> T decode(String json, Class<T> type) {
            return type.cast(json);
        }
    };

    record Line(String article, long cents) {}

    @Test
    void payload_ofAGenericType_arrivesWithItsElements() {
        Kind<Map<String, List<Line>>> orders = Kind.of("orders", new TypeReference<Map<String, List<Line>>>() {});
        assertThat(orders)
                .isEqualTo(Kind.of("orders", new TypeReference<Map<String, List<Line>>>() {}))
                .isNotEqualTo(Kind.of("orders", Map.class))
                .hasToString("orders (" + orders.type().getTypeName() + ")");
        Queue<Line> lines = new ConcurrentLinkedQueue<>();
        try (Jobs jobs = database.jobs()
                .defaultRetries(RetryPolicy.never())
                .handle(orders, (payload, job) -> payload.values().forEach(lines::addAll))
                .start()) {
            jobs.add(orders, Map.of("a", List.of(new Line("pen", 250), new Line("ink", 990))));
            long bad = database.number(
                    "SELECT id FROM howdah.add('default', 'orders', '{\"a\": [{\"cents\": \"many\"}]}')");
            database.awaitFailed(bad);
            assertThat(database.failed(bad, "error")).contains("is no java.util.Map<java.lang.String, java.util.List<");
            database.awaitEmpty();
        }
        assertThat(lines).containsExactly(new Line("pen", 250), new Line("ink", 990));
        assertThatThrownBy(() -> orders.decode(RAW, "{}"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("implement decode(String, TypeReference)");
        assertThatThrownBy(JobInputTest::unnamed)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has to name its type");
    }

    @SuppressWarnings("rawtypes")
    private static Object unnamed() {
        return new TypeReference() {};
    }

    @Test // grouped with good ones it fails alone
    void payload_notJson_isRefusedAndTheOthersAreNot() throws Exception {
        ExecutorService callers = Executors.newFixedThreadPool(64);
        try (Jobs jobs = database.jobs().codec(RAW).start()) {
            List<Future<Long>> added = new ArrayList<>();
            for (int i = 0; i < 640; i++) {
                String payload = i % 100 == 50 ? "{not json" : "\"" + i + "\"";
                added.add(callers.submit(() -> jobs.add(TEXT, payload)));
            }
            int refused = 0;
            for (Future<Long> each : added) {
                try {
                    each.get();
                } catch (ExecutionException e) {
                    refused++;
                    assertThat(e)
                            .cause()
                            .isInstanceOf(JobsException.class)
                            .hasMessageStartingWith(
                                    "a job text could not be added to queue default: ERROR: invalid input"
                                            + " syntax for type json");
                }
            }
            assertThat(refused).isEqualTo(6);
            assertThat(database.waiting()).isEqualTo(634);
            assertThat(database.number("SELECT count(DISTINCT payload::text) FROM howdah_internal.job"))
                    .isEqualTo(634);
        } finally {
            callers.shutdownNow();
        }
    }

    @Test
    void names_tooLongOrEmpty_areRefusedQuotesAreNot() {
        assertThatThrownBy(() -> NewJob.of(TEXT, "").queue("q".repeat(10_000)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at most 200 characters, not 10000");
        assertThatThrownBy(() -> NewJob.of(TEXT, "").queue("")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Kind.of("a\0b", String.class)).isInstanceOf(IllegalArgumentException.class);
        String strange = "it's \"mine\"; DROP TABLE howdah_internal.job --";
        try (Jobs jobs = database.jobs()
                .handle(TEXT, (payload, job) -> {})
                .queues(strange)
                .start()) {
            database.awaitLetters(jobs.add(NewJob.of(TEXT, "x").queue(strange)).id(), "d");
        }
    }

    @Test
    void times_farAwayOrLongAgo_areKept() {
        try (Jobs jobs = database.jobs().handle(TEXT, (payload, job) -> {}).start()) {
            jobs.add(NewJob.of(TEXT, "").runAt(Instant.parse("9999-12-31T23:59:59Z")));
            jobs.add(NewJob.of(TEXT, "").delay(Duration.ofDays(365_000)));
            long past = jobs.add(NewJob.of(TEXT, "")
                            .runAt(Instant.parse("0001-01-01T00:00:00Z"))
                            .priority(-100))
                    .id();
            database.awaitLetters(past, "d");
            assertThat(database.waiting()).isEqualTo(2);
        }
        assertThatThrownBy(() -> NewJob.of(TEXT, "").runAt(Instant.parse("+10000-01-01T00:00:00Z")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("in the years 1 to 9999");
        assertThatThrownBy(() -> NewJob.of(TEXT, "").priority(-101))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("from -100 to 100");
    }

    @Test // it waits until the lane goes on
    void job_addedToAPausedLane_waits() {
        try (Jobs jobs = database.jobs().handle(TEXT, (payload, job) -> {}).start()) {
            database.execute("UPDATE howdah_internal.lane SET paused = now()");
            long id = jobs.add(TEXT, "x");
            long other = jobs.add(NewJob.of(TEXT, "y").queue("other")).id();
            assertThat(other).isGreaterThan(id);
            assertThat(database.letters(id)).isEmpty();
            database.execute("UPDATE howdah_internal.lane SET paused = NULL");
            jobs.add(TEXT, "z");
            database.awaitLetters(id, "d");
        }
    }
}
