package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.job.internal.maintain.HistoryCleaner;
import dev.howdah.job.unique.Unique;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which jobs are the same, for how long, and what becomes of the second one. */
@PostgresTest
class JobUniqueTest {
    private static final Kind<Object> WORK = Kind.of("work", Object.class);

    private final JobsDatabase database;
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch end = new CountDownLatch(1);
    private Jobs jobs;

    JobUniqueTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
        this.jobs = this.database.jobs().start();
    }

    @BeforeEach
    void start() {
        jobs = database.jobs().start();
    }

    @AfterEach
    void stop() {
        end.countDown();
        jobs.close();
    }

    private static NewJob<Object> job(Object payload, Unique rule) {
        return NewJob.of(WORK, payload).unique(rule);
    }

    private AddResult add(Object payload, Unique rule) {
        return jobs.add(job(payload, rule));
    }

    /** Runs what there is until one runs that is a 0, which goes on until the end. */
    private Jobs running() throws InterruptedException {
        Jobs node = database.jobs()
                .handle(WORK, (payload, job) -> {
                    if (!payload.equals(0)) return;
                    begun.countDown();
                    end.await();
                })
                .start();
        begun.await();
        return node;
    }

    private String waiting() {
        return database.text(
                "SELECT COALESCE(string_agg(id || ':' || payload, ' ' ORDER BY id), '') FROM howdah_internal.job");
    }

    private void pass(String time) {
        database.execute("UPDATE howdah_internal.key SET until = until - interval '" + time + "'");
        database.execute("UPDATE howdah_internal.job SET run_at = run_at - interval '" + time + "'");
    }

    @Test
    void second_whileFirstWaits_isWhatTheRuleSays() {
        Unique key = Unique.byKey("k");
        AddResult first = add(1, key);
        assertThat(first.added()).isTrue();
        assertThat(add(2, key)).isEqualTo(new AddResult(first.id(), false));
        assertThat(add(2, key.whileWaiting())).isEqualTo(new AddResult(first.id(), false));
        assertThat(add(3, key.replacing())).isEqualTo(new AddResult(first.id(), true));
        assertThat(waiting()).isEqualTo(first.id() + ":3");
        jobs.add(job(4, key.pushingBack()).delay(Duration.ofHours(2)).priority(7));
        assertThat(database.text("SELECT payload || ' ' || priority || ' ' || (run_at > now() + interval '1 hour')"
                        + " FROM howdah_internal.job"))
                .isEqualTo("4 7 true");
        jobs.add(job(5, key.replacing()).delay(Duration.ofHours(3)));
        assertThat(database.text(
                        "SELECT payload || ' ' || (run_at < now() + interval '2 hour') FROM howdah_internal.job"))
                .isEqualTo("5 true");
        // Not later than five minutes after the first was added.
        jobs.add(job(6, key.pushingBack(Duration.ofMinutes(5))).delay(Duration.ofHours(9)));
        assertThat(database.text(
                        "SELECT payload || ' ' || (run_at < now() + interval '6 minutes') FROM howdah_internal.job"))
                .isEqualTo("6 true");
        assertThat(database.number("SELECT count(*) FROM howdah_internal.key")).isEqualTo(1);
    }

    @Test
    void second_whileFirstRuns_isWhatTheRuleSays() throws InterruptedException {
        Unique key = Unique.byKey("k");
        long first = add(0, key).id();
        try (Jobs node = running()) {
            database.execute("SELECT howdah.pause('default')");
            assertThat(add(1, key)).isEqualTo(new AddResult(first, false));
            AddResult follower = add(2, key.replacing());
            assertThat(follower.added()).isTrue();
            assertThat(follower.id()).isNotEqualTo(first);
            assertThat(add(3, key.replacing())).isEqualTo(follower);
            assertThat(database.text("SELECT id || ':' || payload FROM howdah_internal.follower"))
                    .isEqualTo(follower.id() + ":3");
            end.countDown();
            JobsDatabase.awaiting("it follows").until(() -> waiting().equals(follower.id() + ":3"));
        }
    }

    @Test
    void second_whileWaitingOnly_runsBesideTheFirst() throws InterruptedException {
        Unique key = Unique.byKey("k").whileWaiting();
        long first = add(0, key).id();
        try (Jobs node = running()) {
            database.execute("SELECT howdah.pause('default')");
            AddResult second = add(1, key);
            assertThat(second.added()).isTrue();
            assertThat(second.id()).isNotEqualTo(first);
            assertThat(add(2, key)).isEqualTo(new AddResult(second.id(), false));
            end.countDown();
            database.awaitLetters(first, "d");
            assertThat(add(3, key)).isEqualTo(new AddResult(second.id(), false));
        }
    }

    /** What was skipped because of a waiting job shall be seen by that job. */
    @Test
    void waitingJob_thatMadeOneSuperfluous_waitsForThatTransaction() throws SQLException {
        Unique key = Unique.byKey("k").whileWaiting();
        long first = add(1, key).id();
        try (Connection connection = database.connect()) {
            connection.setAutoCommit(false);
            assertThat(jobs.add(connection, job(2, key))).isEqualTo(new AddResult(first, false));
            // Another one that is skipped does not wait for it.
            assertThat(add(3, key)).isEqualTo(new AddResult(first, false));
            assertThat(database.rows("SELECT id FROM howdah_internal.job FOR UPDATE SKIP LOCKED"))
                    .isEmpty();
            connection.commit();
        }
        assertThat(database.rows("SELECT id FROM howdah_internal.job FOR UPDATE SKIP LOCKED"))
                .hasSize(1);
    }

    @Test
    void window_isRememberedAfterTheEnd_andForgottenWhenItIsOver() throws SQLException {
        Unique hourly = Unique.byPayload().within(Duration.ofHours(1));
        long first = add(Map.of("a", 1, "b", 2), hourly).id();
        try (Jobs node = database.jobs().handle(WORK, (payload, job) -> {}).start()) {
            database.awaitLetters(first, "d");
        }
        JobsDatabase.awaiting("the key is free")
                .until(() -> database.number("SELECT count(ended) FROM howdah_internal.key") == 1);
        assertThat(add(Map.of("b", 2, "a", 1), hourly)).isEqualTo(new AddResult(first, false));
        assertThat(database.text("SELECT id || ' ' || added FROM howdah.add('default', 'work', '{\"b\": 2,  \"a\": 1}',"
                        + " options => '{\"unique\": {\"by\": \"payload\", \"within\": \"1 hour\"}}')"))
                .isEqualTo(first + " false");
        assertThat(add(Map.of("a", 1, "b", 3), hourly).added()).isTrue();
        pass("59 minutes");
        assertThat(add(Map.of("a", 1, "b", 2), hourly).added()).isFalse();
        pass("2 minutes");
        AddResult next = add(Map.of("a", 1, "b", 2), hourly);
        assertThat(next.added()).isTrue();
        assertThat(next.id()).isGreaterThan(first);
        assertThat(jobs.admin().cancel(next.id())).isEqualTo(CancelResult.CANCELLED);
        pass("2 hours");
        new HistoryCleaner(ConnectionSource.of(database.dataSource()), 30, 30).tidy();
        assertThat(database.number("SELECT count(*) FROM howdah_internal.key WHERE ended IS NOT NULL"))
                .isZero();
    }

    @Test
    void window_lastOfIt_runsAtItsEndAndBeginsTheNext() throws SQLException {
        Unique rule = Unique.byKey("k").within(Duration.ofHours(1)).runningLast();
        long first = add(1, rule).id();
        // The first has not begun: the last one takes its place.
        assertThat(add(2, rule)).isEqualTo(new AddResult(first, true));
        try (Jobs node = database.jobs().handle(WORK, (payload, job) -> {}).start()) {
            database.awaitLetters(first, "d");
        }
        AddResult last = add(3, rule);
        assertThat(last.added()).isTrue();
        assertThat(add(4, rule)).isEqualTo(last);
        assertThat(waiting()).isEqualTo(last.id() + ":4");
        assertThat(database.text("SELECT run_at BETWEEN now() + interval '59 minutes' AND now() + interval '1 hour'"
                        + " FROM howdah_internal.job"))
                .isEqualTo("t");
        pass("1 hour");
        assertThat(database.text("SELECT until BETWEEN now() + interval '59 minutes' AND now() + interval '1 hour'"
                        + " FROM howdah_internal.key"))
                .isEqualTo("t");
        try (Jobs node = database.jobs().handle(WORK, (payload, job) -> {}).start()) {
            database.awaitLetters(last.id(), "d");
        }
        long next = add(5, rule).id();
        assertThat(next).isGreaterThan(last.id());
        assertThat(database.text("SELECT run_at > now() + interval '50 minutes' FROM howdah_internal.job"))
                .isEqualTo("t");
    }

    @Test
    void payloads_areAppendedUpToTheBound() {
        Unique rule = Unique.byKey("k").appending(4);
        long first = add(List.of(1, 2), rule).id();
        assertThat(add(List.of(3), rule)).isEqualTo(new AddResult(first, true));
        AddResult second = add(List.of(4, 5), rule);
        assertThat(second.id()).isNotEqualTo(first);
        assertThat(add(List.of(6), rule)).isEqualTo(new AddResult(second.id(), true));
        assertThat(add(List.of(), rule)).isEqualTo(new AddResult(second.id(), true));
        assertThat(waiting()).isEqualTo(first + ":[1,2,3] " + second.id() + ":[4,5,6]");
        // Large payloads as well.
        String large = "x".repeat(6_000);
        long third = add(List.of(large), Unique.byKey("l").appending(10)).id();
        add(List.of(large), Unique.byKey("l").appending(10));
        assertThat(database.text("SELECT json_array_length(payload) FROM howdah_internal.body WHERE job = " + third))
                .isEqualTo("2");
        assertThatThrownBy(() -> add("text", rule))
                .hasMessageContaining("is JSON of type string: it has to be an array");
        add("text", Unique.byKey("m"));
        assertThatThrownBy(() -> add(List.of(1), Unique.byKey("m").appending(3)))
                .hasMessageContaining("both have to be arrays");
    }

    @Test
    void bulk_isAsOneByOne() {
        List<NewJob<?>> some = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            some.add(job(i % 3, Unique.byPayload().within(Duration.ofHours(1))));
            some.add(job(List.of(i), Unique.byKey("append").appending(3)));
            some.add(job(i, Unique.byKey("replace").replacing()));
            some.add(job(i, Unique.byKey("plain")));
            some.add(job(i, Unique.byKey("waiting").whileWaiting()));
            some.add(NewJob.of(WORK, i));
        }
        List<AddResult> together = jobs.addEach(some);
        String jobsTogether =
                database.text("SELECT string_agg(payload || ' ' || COALESCE(more ->> 'key', ''), ',' ORDER BY id)"
                        + " FROM howdah_internal.job");
        List<Long> ids =
                together.stream().map(AddResult::id).distinct().sorted().toList();
        List<String> found = new ArrayList<>();
        for (AddResult each : together) found.add(ids.indexOf(each.id()) + " " + each.added());
        database.execute("TRUNCATE howdah_internal.job, howdah_internal.key");
        List<AddResult> alone = some.stream().map(jobs::add).toList();
        List<Long> others =
                alone.stream().map(AddResult::id).distinct().sorted().toList();
        List<String> expected = new ArrayList<>();
        for (AddResult each : alone) expected.add(others.indexOf(each.id()) + " " + each.added());
        assertThat(found).isEqualTo(expected);
        assertThat(jobsTogether)
                .isEqualTo(
                        database.text(
                                "SELECT string_agg(payload || ' ' || COALESCE(more ->> 'key', ''), ',' ORDER BY id) FROM howdah_internal.job"));
    }

    @Test
    void bulk_fromSql_takesTheRuleOfAllOrOfEach() {
        assertThat(database.text("SELECT string_agg(added::text, ' ') FROM howdah.add_keyed_many('q', 'k',"
                        + " ARRAY['[1]', '[2]', '[3]']::json[], ARRAY['a', 'b', 'a'],"
                        + " options => '{\"unique\": {\"then\": \"append\"}, \"tags\": [\"t\"]}')"))
                .isEqualTo("true true true");
        assertThat(database.text("SELECT string_agg(payload::text, ' ' ORDER BY id) FROM howdah_internal.job"))
                .isEqualTo("[1,3] [2]");
        assertThat(
                        database.text(
                                "SELECT string_agg(added::text, ' ') FROM howdah.add_keyed_many('q', 'k',"
                                        + " ARRAY['1', '1', '2']::json[], ARRAY[NULL, NULL, 'b'],"
                                        + " options => '[{\"unique\": {\"by\": \"payload\"}}, {\"unique\": {\"by\": \"payload\"}}, {}]')"))
                .isEqualTo("true false false");
    }

    @Test
    void badInput_isRefusedInWords() {
        Unique key = Unique.byKey("k");
        assertThatThrownBy(() -> key.within(Duration.ZERO)).hasMessage("a window of PT0S: it has to be longer than 0");
        assertThatThrownBy(() -> add(1, key.runningLast()))
                .hasMessage("unique, running the last: it needs a window, within(Duration)");
        assertThatThrownBy(() -> add(1, key.within(Duration.ofHours(1)).replacing()))
                .hasMessage("unique within PT1H: what comes second is skipped, or runs last");
        assertThatThrownBy(() -> key.appending(0)).hasMessageContaining("it has to be 1 to 99999");
        assertThatThrownBy(() ->
                        jobs.add(job(1, key.replacing()).version(java.time.Instant.parse("2026-01-01T00:00:00Z"))))
                .hasMessageContaining("both say what becomes of the second job");
        assertThatThrownBy(() -> Unique.byKey("k".repeat(401)))
                .hasMessageContaining("a key has 1 to 400 characters, not 401");
        for (String wrong : List.of(
                "1",
                "{\"then\": \"drop\"}",
                "{\"within\": \"never\"}",
                "{\"within\": \"0\"}",
                "{\"while\": \"ever\"}",
                "{\"by\": \"kind\"}",
                "{\"mode\": 1}",
                "{\"most\": 0, \"then\": \"append\"}",
                "{\"then\": \"run_last\"}",
                "{\"then\": \"replace\", \"within\": \"1 h\"}"))
            assertThatThrownBy(() -> database.execute(
                            "SELECT howdah.add('q', 'k', '1', key => 'x', options => '{\"unique\": " + wrong + "}')"))
                    .as(wrong)
                    .hasMessageContaining("unique");
        assertThatThrownBy(() -> database.execute(
                        "SELECT howdah.add('q', 'k', '1', options => '{\"unique\": {\"then\": \"replace\"}}')"))
                .hasMessageContaining("the option unique and no key");
        assertThatThrownBy(
                        () -> database.execute(
                                "SELECT howdah.add_many('q', 'k', ARRAY['1'], options => '{\"unique\": {\"by\": \"payload\"}}')"))
                .hasMessageContaining("the option unique and no key");
        assertThat(database.waiting()).isZero();
    }
}
