package dev.howdah.examples.payment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.examples.payment.TestBank.Moment;
import dev.howdah.fixtures.ChildJvm;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.process.Event;
import dev.howdah.process.HistoryRange;
import dev.howdah.process.ProcessException;
import dev.howdah.process.ProcessState;
import dev.howdah.process.ProcessStatus;
import dev.howdah.process.Processes;
import dev.howdah.process.query.ProcessQuery;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** The payment: what it does, and that nothing is done twice or forgotten when its node is killed in the middle of every step. */
@PostgresTest
@Tag("long")
class PaymentTest {
    private static final Duration PATIENCE = Patience.LIMIT;
    private static final long A_DAY = 86_400;

    private final TestDatabase database;
    private final TestBank bank = new TestBank();
    private final Processes client;
    private final List<ChildJvm> nodes = new ArrayList<>();

    PaymentTest(TestDatabase database) throws IOException {
        this.database = database;
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setURL(url());
        client = Processes.on(source).nodeName("client").start();
    }

    @AfterEach
    void stop() {
        bank.close();
        client.close();
        nodes.forEach(ChildJvm::close);
    }

    private String url() {
        return "jdbc:postgresql://127.0.0.1:" + database.server().port() + "/" + database.name() + "?user=postgres";
    }

    /** One more node, that works by now. */
    private ChildJvm node() {
        ChildJvm node = ChildJvm.start(
                PaymentNode.class,
                List.of("-XX:TieredStopAtLevel=1"),
                url(),
                bank.address().toString(),
                "0.1");
        nodes.add(node);
        Collection<String> lines = node.lines();
        await("a node works").until(() -> lines.stream().anyMatch(each -> each.startsWith("works payments")));
        return node;
    }

    private static ConditionFactory await(String what) {
        return Awaitility.await(what).atMost(PATIENCE).pollInterval(Duration.ofMillis(10));
    }

    private String init(String id, long holdSeconds) {
        return client.init("payment", id, new Payment.Order("4111", 1000, holdSeconds))
                .as(String.class);
    }

    private String confirm(String id) {
        return client.call("payment", id, null).as(String.class);
    }

    private void awaitEvents(String id, String... events) {
        await(id + " comes to " + List.of(events)).until(() -> {
            try {
                return events(id).equals(List.of(events));
            } catch (ProcessException e) {
                return false;
            }
        });
    }

    private List<String> events(String id) {
        return client.get("payment", id).history().stream()
                .map(Event::payload)
                .map(each -> each.as(String.class))
                .toList();
    }

    private static String reason(Runnable asked) {
        try {
            asked.run();
            return "nothing";
        } catch (ProcessException e) {
            return e.getMessage();
        }
    }

    @Test
    void payment_confirmedOrNot_isCapturedOrReleased() {
        node();
        init("paid", A_DAY);
        assertThat(confirm("paid")).isEqualTo("confirmed");
        awaitEvents("paid", "held", "confirmed", "captured");
        assertThat(bank.book("paid")).containsExactly("hold", "capture");
        assertThat(reason(() -> confirm("paid"))).isEqualTo("payment is CAPTURED");
        assertThat(client.get("payment", "paid").timer()).isNull();
        init("late", 0);
        awaitEvents("late", "held", "released");
        assertThat(bank.book("late")).containsExactly("hold", "release");
        assertThat(reason(() -> confirm("late"))).isEqualTo("payment is RELEASED");
    }

    @Test
    void bank_down_thePaymentIsRepairedWhenItIsBack() {
        node();
        bank.closeFor("hold");
        assertThat(reason(() -> init("hold", A_DAY))).isEqualTo("java.io.IOException: the bank answered 503");
        assertThat(client.get("payment", "hold").status()).isEqualTo(ProcessStatus.ERROR);
        bank.openFor("hold");
        client.repair("payment", "hold", new Payment.Order("4111", 1000, A_DAY));
        assertThat(events("hold")).containsExactly("held");
        init("capture", A_DAY);
        bank.closeFor("capture");
        confirm("capture");
        awaitBroken("capture");
        assertThat(bank.asked("capture/capture")).isEqualTo(5);
        ProcessState broken = client.get("payment", "capture");
        assertThat(broken.detail()).isEqualTo("java.io.IOException: the bank answered 503");
        assertThat(reason(() -> confirm("capture"))).isEqualTo("process is error");
        bank.openFor("capture");
        client.repair("payment", "capture", null);
        awaitEvents("capture", "held", "confirmed", "repaired", "captured");
        assertThat(bank.book("capture")).containsExactly("hold", "capture");
    }

    private void awaitBroken(String id) {
        await(id + " is broken")
                .until(() -> client.get("payment", id, HistoryRange.NONE).status() == ProcessStatus.ERROR);
    }

    /**
     * Keeps the commit of a step from ending that writes that event, until it is closed: then the commit that the server has heard of goes on,
     * although nobody is there who would hear that it has.
     */
    private final class Wedge implements AutoCloseable {
        private final Connection connection = database.connect();

        Wedge(String id, long event) throws SQLException {
            connection.setAutoCommit(false);
            try (PreparedStatement statement = connection.prepareStatement(
                    "INSERT INTO howdah_internal.process_event (process, id, task, at, payload)"
                            + " SELECT number, ?, 0, now(), '' FROM howdah_internal.process WHERE id = ?")) {
                statement.setLong(1, event);
                statement.setString(2, id);
                assertThat(statement.executeUpdate()).isEqualTo(1);
            }
        }

        @Override
        public void close() throws SQLException {
            connection.rollback();
            connection.close();
        }
    }

    /** How many commits wait for a wedge. */
    private int wedged() {
        return Integer.parseInt(
                String.valueOf(
                        database.value(
                                "SELECT count(*) FROM pg_stat_activity"
                                        + " WHERE datname = current_database() AND wait_event_type = 'Lock' AND wait_event = 'transactionid'")));
    }

    private void awaitWedged(int commits) {
        await(commits + " commits wait").until(() -> wedged() == commits);
    }

    /** Commits that wait will never be. */
    private void loseCommits() {
        database.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                + " WHERE datname = current_database() AND wait_event_type = 'Lock' AND wait_event = 'transactionid'");
        awaitWedged(0);
    }

    private static CompletableFuture<String> later(Supplier<String> asked) {
        return CompletableFuture.supplyAsync(asked);
    }

    @Test // each step, before the bank has done anything, after it has, and before the commit
    void node_killedInTheMiddleOfEveryStep_moneyIsHeldOnceAndCapturedOrReleasedOnce() throws Exception {
        ChildJvm first = node();
        for (String each : List.of("capture before", "capture after", "capture commit", "confirm", "repair"))
            assertThat(init(each, A_DAY)).isEqualTo("ok");
        bank.closeFor("repair");
        confirm("repair");
        awaitBroken("repair");
        bank.openFor("repair");

        List<CountDownLatch> stopped = new ArrayList<>();
        List<CompletableFuture<String>> answers = new ArrayList<>();
        for (Moment moment : Moment.values()) {
            String when = moment == Moment.BEFORE ? " before" : " after";
            for (String step : List.of("hold", "capture", "release"))
                stopped.add(bank.stopAt(moment, step + when + "/" + step));
            answers.add(later(() -> init("hold" + when, A_DAY)));
            answers.add(later(() -> confirm("capture" + when)));
            answers.add(later(() -> init("release" + when, 0)));
        }
        for (CountDownLatch each : stopped)
            assertThat(each.await(60, TimeUnit.SECONDS)).isTrue();
        // A node has two that write: so many commits can wait at a time.
        try (Wedge confirmed = new Wedge("confirm", 2);
                Wedge repaired = new Wedge("repair", 3)) {
            answers.add(later(() -> confirm("confirm")));
            awaitWedged(1);
            answers.add(later(() -> client.repair("payment", "repair", null).as(String.class)));
            awaitWedged(2);
            first.kill();
            first.awaitGone();
        }
        ChildJvm second = node();
        for (CompletableFuture<String> each : answers)
            assertThat(each.get(60, TimeUnit.SECONDS)).isIn("ok", "confirmed");
        for (String each : List.of("capture before", "capture after", "confirm"))
            awaitEvents(each, "held", "confirmed", "captured");
        awaitEvents("repair", "held", "confirmed", "repaired", "captured");
        for (String each : List.of("release before", "release after")) awaitEvents(each, "held", "released");
        for (String each : List.of("hold before", "hold after")) awaitEvents(each, "held");

        // The second round: the bank has done it, the step is not written.
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch capture = bank.waitAt("capture commit/capture", goOn);
        CountDownLatch release = bank.waitAt("release commit/release", goOn);
        confirm("capture commit");
        init("release commit", 0);
        assertThat(capture.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(release.await(60, TimeUnit.SECONDS)).isTrue();
        try (Wedge captured = new Wedge("capture commit", 3);
                Wedge released = new Wedge("release commit", 2)) {
            goOn.countDown();
            await("the bank has done it")
                    .until(() -> bank.book("capture commit").size() == 2
                            && bank.book("release commit").size() == 2);
            await("a commit waits").until(() -> wedged() > 0);
            second.kill();
            second.awaitGone();
            loseCommits();
        }
        ChildJvm third = node();
        awaitEvents("capture commit", "held", "confirmed", "captured");
        awaitEvents("release commit", "held", "released");

        // The third: the money is held, the first step is not written.
        CountDownLatch holdGoesOn = new CountDownLatch(1);
        CountDownLatch hold = bank.waitAt("hold commit/hold", holdGoesOn);
        CompletableFuture<String> held = later(() -> init("hold commit", A_DAY));
        assertThat(hold.await(60, TimeUnit.SECONDS)).isTrue();
        try (Wedge wedge = new Wedge("hold commit", 1)) {
            holdGoesOn.countDown();
            awaitWedged(1);
            third.kill();
            third.awaitGone();
            loseCommits();
        }
        node();
        assertThat(held.get(60, TimeUnit.SECONDS)).isEqualTo("ok");
        awaitEvents("hold commit", "held");

        for (String each : List.of("hold before", "hold after", "hold commit")) {
            assertThat(bank.book(each)).containsExactly("hold");
            assertThat(bank.asked(each + "/hold")).isEqualTo(2);
        }
        for (String each : List.of("capture before", "capture after", "capture commit")) {
            assertThat(bank.book(each)).containsExactly("hold", "capture");
            assertThat(bank.asked(each + "/capture")).isEqualTo(2);
        }
        for (String each : List.of("release before", "release after", "release commit")) {
            assertThat(bank.book(each)).containsExactly("hold", "release");
            assertThat(bank.asked(each + "/release")).isEqualTo(2);
        }
        for (String each : List.of("confirm", "repair"))
            assertThat(bank.book(each)).containsExactly("hold", "capture");
        assertThat(client.list(ProcessQuery.of("payment").status(ProcessStatus.ERROR)))
                .isEmpty();
    }
}
