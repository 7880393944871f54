package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.spi.RetryPolicy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A job passes through stages, each with its own takers; the step is in the transaction that finishes the stage. */
@PostgresTest
class JobPipelineTest {
    private record Order(int number, String text) {}

    private final JobsDatabase database;
    private final List<Jobs> nodes = new ArrayList<>();
    private final List<String> seen = Collections.synchronizedList(new ArrayList<>());

    JobPipelineTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    @AfterEach
    void stop() {
        nodes.forEach(Jobs::close);
    }

    private Jobs start(JobsBuilder builder) {
        Jobs node = builder.start();
        nodes.add(node);
        return node;
    }

    private Pipeline orders() {
        return Pipeline.of("order")
                .stage("check", Order.class, (order, job) -> {
                    seen.add("check " + order.number() + " " + job.attempt());
                    if (order.number() == 2 && job.attempt() == 1) throw new IllegalStateException("once more");
                    if (order.number() == 3) return Outcome.next("ship", "rush");
                    if (order.number() == 4) return Outcome.done();
                    return Outcome.next(order);
                })
                .stage("charge", Order.class, (order, job) -> {
                    seen.add("charge " + order.number() + " " + job.attempt());
                    return Outcome.next("receipt " + order.number());
                })
                .stage("ship", String.class, (text, job) -> {
                    seen.add("ship " + text + " " + job.attempt());
                    return Outcome.done();
                });
    }

    @Test
    void job_passesItsStages_asOneJob_withItsHistory() {
        Jobs node = start(
                database.jobs().defaultRetries(RetryPolicy.after(Duration.ZERO)).pipeline(orders()));
        List<Long> ids = IntStream.rangeClosed(1, 4)
                .mapToObj(
                        number -> node.add(orders().job(new Order(number, "x"))).id())
                .toList();
        database.awaitLetters(ids.get(0), "nnd");
        database.awaitLetters(ids.get(1), "rnnd");
        database.awaitLetters(ids.get(2), "nd");
        database.awaitLetters(ids.get(3), "d");
        assertThat(seen)
                .contains("check 1 1", "charge 1 1", "ship receipt 1 1", "check 2 2", "charge 2 1", "ship rush 1")
                .hasSize(10);
        assertThat(database.rows(
                        "SELECT stage, attempts, ended >= begun, node > 0 FROM howdah.stages(" + ids.get(1) + ")"))
                .hasToString("[[order.check, 2, t, t], [order.charge, 1, t, t]]");
        assertThat(database.rows("SELECT kind, sum(done) FROM howdah.stats GROUP BY 1 ORDER BY 1"))
                .hasToString("[[order.charge, 2], [order.check, 4], [order.ship, 3]]");
    }

    @Test
    void stages_haveTheirOwnTakers_onDifferentNodes() {
        Jobs first = start(database.jobs().pipeline(orders(), "check"));
        start(database.jobs().pipeline(orders(), "charge"));
        start(database.jobs().pipeline(orders(), "ship"));
        int size = 300;
        List<Long> ids = first.addAll(IntStream.range(0, size)
                .mapToObj(i -> orders().job(new Order(100 + i, "x")))
                .toList());
        JobsDatabase.awaiting("all are shipped")
                .until(() -> List.copyOf(seen).stream()
                                .filter(each -> each.startsWith("ship"))
                                .count()
                        >= size);
        database.awaitEmpty();
        assertThat(seen).doesNotHaveDuplicates().hasSize(3 * size);
        assertThat(database.rows("SELECT count(DISTINCT node) FROM howdah.stages(" + ids.get(size - 1) + ")"))
                .hasToString("[[2]]");
    }

    @Test
    void largePayloads_comeAndGoFromStageToStage() {
        String large = "y".repeat(20_000);
        Pipeline sizes = Pipeline.of("sizes")
                .stage("a", String.class, (text, job) -> Outcome.next(text + large))
                .stage("b", String.class, (text, job) -> Outcome.next(text + large))
                .stage("c", String.class, (text, job) -> Outcome.next("" + text.length()))
                .stage("d", String.class, (text, job) -> {
                    seen.add(text);
                    return Outcome.done();
                });
        Jobs node = start(database.jobs().pipeline(sizes));
        database.awaitLetters(node.add(sizes.job("x")).id(), "nnnd");
        database.awaitLetters(node.add(sizes.job(large)).id(), "nnnd");
        assertThat(seen).containsExactly("40001", "60000");
        assertThat(database.number("SELECT count(*) FROM howdah_internal.body")).isZero();
    }

    /** A node that was taken for dead moves nothing on. */
    @Test
    void step_ofANodeThatWasTakenForDead_isRefused() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        Pipeline pipeline = Pipeline.of("p")
                .stage("a", String.class, (text, job) -> {
                    begun.countDown();
                    go.await();
                    return Outcome.next(text);
                })
                .stage("b", String.class, (text, job) -> {
                    seen.add(text);
                    return Outcome.done();
                });
        Jobs node = start(database.jobs().pipeline(pipeline));
        long id = node.add(pipeline.job("x")).id();
        begun.await();
        try (Connection other = database.connect();
                Statement statement = other.createStatement()) {
            statement.execute("UPDATE howdah_internal.batch SET ended = now(), outcomes = 'x' WHERE ended IS NULL");
        }
        go.countDown();
        long after = node.add(pipeline.jobAt("b", "y")).id();
        database.awaitLetters(after, "d");
        assertThat(database.letters(id)).isEqualTo("x");
        assertThat(seen).containsExactly("y");
    }

    /** What a stage does in the job's transaction stands if, and only if, the job goes on or is done. */
    @Test
    void stageInTransaction_takesEffectWithItsStep_orNotAtAll() {
        database.execute("CREATE TABLE effect (number integer, text text)");
        String large = "z".repeat(20_000);
        Pipeline pipeline = Pipeline.of("t")
                .stageInTransaction("a", Order.class, (order, job, connection) -> {
                    try (PreparedStatement insert =
                            connection.prepareStatement("INSERT INTO effect VALUES (?, txid_current()::text)")) {
                        insert.setInt(1, order.number());
                        insert.executeUpdate();
                    }
                    if (order.number() == 2 && job.attempt() == 1) throw new IllegalStateException("once more");
                    return switch (order.number()) {
                        case 3 -> Outcome.fail("no");
                        case 4 -> Outcome.done();
                        case 5 -> Outcome.next("a\0b");
                        case 6 -> Outcome.next(large);
                        case 7 -> job.attempt() == 1 ? Outcome.retry(Duration.ZERO, "again") : Outcome.next("7");
                        default -> Outcome.next("" + order.number());
                    };
                })
                .stageInTransaction("b", String.class, (text, job, connection) -> {
                    seen.add(text.substring(0, 1));
                    return Outcome.done();
                });
        Jobs node = start(
                database.jobs().defaultRetries(RetryPolicy.after(Duration.ZERO)).pipeline(pipeline));
        List<Long> ids = IntStream.rangeClosed(1, 7)
                .mapToObj(number -> node.add(pipeline.job(new Order(number, number == 1 ? large : "x")))
                        .id())
                .toList();
        long ordered =
                node.add(pipeline.job(new Order(8, "x")).orderKey("customer")).id();
        long after = node.add(
                        pipeline.job(new Order(9, "x")).orderKey("customer").priority(-5))
                .id();
        long keyed = node.add(pipeline.job(new Order(10, "x")).key("k")).id();
        List<String> ends = List.of("nd", "rnd", "f", "d", "f", "nd", "rnd");
        for (int i = 0; i < ends.size(); i++) database.awaitLetters(ids.get(i), ends.get(i));
        for (long each : List.of(ordered, after, keyed)) database.awaitLetters(each, "nd");
        assertThat(database.failed(ids.get(2), "error")).isEqualTo("no");
        assertThat(database.failed(ids.get(4), "error")).startsWith("its payload for t.b is refused: ");
        assertThat(database.rows("SELECT number FROM effect ORDER BY 1"))
                .as("effects")
                .hasToString("[[1], [2], [4], [6], [7], [8], [9], [10]]");
        // At other levels of isolation PostgreSQL may refuse a commit, and the stage is called again.
        boolean refuses = System.getProperty("howdah.test.isolation") != null;
        assertThat(seen).contains("z").hasSizeBetween(7, refuses ? 100 : 7);
        assertThat(seen.indexOf("8")).isLessThan(seen.indexOf("9"));
        database.awaitEmpty();
        assertThat(database.number("SELECT count(*) FROM howdah_internal.body")).isZero();
        assertThat(database.number("SELECT count(*) FROM howdah_internal.key")).isZero();
    }

    @Test // the step is in the transaction of the effect: one number for both
    void stageInTransaction_step_isOfTheSameTransaction() {
        database.execute("CREATE TABLE effect (xid text)");
        Pipeline pipeline = Pipeline.of("t")
                .stageInTransaction("a", String.class, (text, job, connection) -> {
                    try (Statement insert = connection.createStatement()) {
                        insert.execute("INSERT INTO effect SELECT txid_current()::text");
                    }
                    return Outcome.next(text);
                })
                .stage("b", String.class, (text, job) -> Outcome.done());
        database.execute("CREATE TABLE step (xid text); CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS"
                + " $$ BEGIN INSERT INTO step SELECT txid_current()::text; RETURN NULL; END $$;"
                + " CREATE TRIGGER note AFTER INSERT ON howdah_internal.job FOR EACH ROW WHEN (NEW.kind = 't.b')"
                + " EXECUTE FUNCTION note()");
        Jobs node = start(database.jobs().pipeline(pipeline));
        database.awaitLetters(node.add(pipeline.job("x")).id(), "nd");
        assertThat(database.rows("SELECT xid FROM step")).isEqualTo(database.rows("SELECT xid FROM effect"));
    }

    @Test
    void order_isKeptOverAllStages() {
        Jobs node = start(database.jobs().pipeline(orders()));
        node.addAll(IntStream.range(10, 13)
                .mapToObj(number -> orders().job(new Order(number, "x")).orderKey("customer"))
                .toList());
        JobsDatabase.awaiting("all").until(() -> seen.size() == 9);
        assertThat(List.copyOf(seen).stream()
                        .map(each -> each.replaceAll("receipt | 1$", ""))
                        .toList())
                .containsExactly(
                        "check 10",
                        "charge 10",
                        "ship 10",
                        "check 11",
                        "charge 11",
                        "ship 11",
                        "check 12",
                        "charge 12",
                        "ship 12");
    }

    @Test
    void step_thatLeadsNowhere_fails_withTheReason() {
        Pipeline wrong = Pipeline.of("w")
                .stage("a", String.class, (text, job) -> Outcome.next("z", text))
                .stage("b", String.class, (text, job) -> Outcome.next(text));
        Kind<String> plain = Kind.of("plain", String.class);
        Jobs node = start(database.jobs()
                .queues("default")
                .pipeline(wrong)
                .handleWithOutcome(plain, (text, job) -> Outcome.next(text)));
        Map<Long, String> reasons = Map.of(
                node.add(wrong.job("x")).id(), "pipeline w has no stage z, only [a, b]",
                node.add(wrong.jobAt("b", "x")).id(), "stage b is the last of pipeline w: there is no next one",
                node.add(plain, "x"), "its handler said next, but plain is no stage of a pipeline");
        reasons.forEach((id, reason) -> {
            database.awaitFailed(id);
            assertThat(database.failed(id, "error")).isEqualTo(reason);
        });
        assertThatThrownBy(() -> wrong.stage("a", String.class, (text, job) -> Outcome.done()))
                .hasMessage("pipeline w has a stage a already");
        assertThatThrownBy(() -> Pipeline.of("empty").job("x")).hasMessage("pipeline empty has no stage");
    }
}
