package dev.howdah.examples.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.examples.agent.TestModel.Moment;
import dev.howdah.fixtures.ChildJvm;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.job.query.JobLogLine;
import dev.howdah.job.query.JobState;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** The agent: it waits for a person, and a kill at any place of its conversation neither loses nor pays for anything twice. */
@PostgresTest
@Tag("long")
class ComplaintAgentTest {
    private static final String APPROVAL = "refund 3.0";
    private static final String ANSWER = "two parcels, 5000 cents; parcel 1 is crushed; parcel 2 is crushed; %s;"
            + " cents has to be a whole number.; There is no tool apologise.";

    private final TestDatabase database;
    private final TestModel model = new TestModel();
    private final Jobs client;
    private final List<ChildJvm> nodes = new ArrayList<>();

    ComplaintAgentTest(TestDatabase database) throws IOException {
        this.database = database;
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setURL(url());
        database.execute("CREATE TABLE refund (purchase integer NOT NULL, cents integer NOT NULL)");
        client = Jobs.on(source).start();
    }

    @AfterEach
    void stop() {
        model.close();
        nodes.forEach(ChildJvm::close);
        client.close();
    }

    private String url() {
        return "jdbc:postgresql://127.0.0.1:" + database.server().port() + "/" + database.name() + "?user=postgres";
    }

    private ChildJvm node() {
        ChildJvm node = ChildJvm.start(
                AgentNode.class,
                List.of("-XX:TieredStopAtLevel=1"),
                url(),
                model.address(),
                model.shop().toString());
        nodes.add(node);
        Collection<String> lines = node.lines();
        await("a node works")
                .untilAsserted(() -> assertThat(lines).as(node::log).anyMatch(each -> each.startsWith("answers")));
        return node;
    }

    private static ConditionFactory await(String what) {
        return Awaitility.await(what).atMost(Patience.LIMIT).pollInterval(Duration.ofMillis(10));
    }

    private long complain(int order) {
        return client.add(ComplaintAgent.COMPLAINT, "My order " + order + " has come in pieces.");
    }

    private void awaitApproval(long id) {
        await("waits for a person")
                .until(() -> client.admin().why(id).get(0).code().equals("awaits-signal"));
    }

    private void assertAnswered(long id, String refund) throws Exception {
        var end = client.await(id, Patience.LIMIT);
        assertThat(end.state()).isEqualTo(JobState.DONE);
        assertThat(end.result()).isEqualTo("\"" + String.format(ANSWER, refund) + "\"");
    }

    private String refunds(int order) {
        return String.valueOf(database.value("SELECT count(*)::text FROM refund WHERE purchase = " + order));
    }

    @Test
    void refund_isAskedForInTheLog_andPaidOnlyIfAPersonApproves() throws Exception {
        model.refuse(1, "model 2", 503);
        node();
        long approved = complain(1);
        long refused = complain(2);
        awaitApproval(approved);
        awaitApproval(refused);
        await("the question is in the log")
                .untilAsserted(() -> assertThat(client.admin().log(approved, 10))
                        .extracting(JobLogLine::line)
                        .contains("Approve \"refund 3.0\": 5000 cents of order 1?"));
        assertThat(refunds(1)).isEqualTo("0");
        client.signal(approved, APPROVAL, true);
        client.signal(refused, APPROVAL, false);
        assertAnswered(approved, "Paid back.");
        assertAnswered(refused, "A person has refused that.");
        assertThat(refunds(1)).isEqualTo("1");
        assertThat(refunds(2)).isEqualTo("0");
        for (int turn = 1; turn <= 4; turn++)
            assertThat(model.paid(1, "model " + turn)).isEqualTo(1);
    }

    @Test
    void model_thatRefusesTheRequest_endsTheConversation() throws Exception {
        model.refuse(1, "model 1", 401);
        node();
        var end = client.await(complain(1), Patience.LIMIT);
        assertThat(end.state()).isEqualTo(JobState.FAILED);
        assertThat(end.error()).contains("the model refuses the request");
        assertThat(model.asked()).isEqualTo(1);
    }

    /** Keeps a record from being written: the node has heard an answer, and is killed before it has recorded it. */
    private final class Wedge implements AutoCloseable {
        private final Connection connection = database.connect();

        Wedge(long job, String step) throws SQLException {
            connection.setAutoCommit(false);
            try (PreparedStatement statement =
                    connection.prepareStatement("INSERT INTO howdah_internal.job_step (job, kind, name, attempt, at)"
                            + " VALUES (?, 'complaint', ?, 1, now())")) {
                statement.setLong(1, job);
                statement.setString(2, step);
                assertThat(statement.executeUpdate()).isEqualTo(1);
            }
        }

        /** Also ends what its sessions would still write. */
        void killWhenMet(ChildJvm node) {
            await("a record waits").until(() -> waiting() > 0);
            node.kill();
            node.awaitGone();
            database.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    + " WHERE datname = current_database() AND wait_event = 'transactionid'");
            await("none waits").until(() -> waiting() == 0);
        }

        private int waiting() {
            return Integer.parseInt(String.valueOf(database.value("SELECT count(*)::text FROM pg_stat_activity"
                    + " WHERE datname = current_database() AND wait_event = 'transactionid'")));
        }

        @Override
        public void close() throws SQLException {
            connection.rollback();
            connection.close();
        }
    }

    @Test
    void node_killedBeforeAnyRecordIsWritten_paysForNothingTwice() throws Exception {
        int order = 1;
        long id = complain(order);
        client.signal(id, APPROVAL, true);
        for (String step :
                List.of("conversation", "model 1", "find_order 1.0", "model 2", "model 3", APPROVAL, "model 4")) {
            try (Wedge wedge = new Wedge(id, step)) {
                wedge.killWhenMet(node());
            }
        }
        node();
        assertPaidOnce(id, order);
    }

    @Test
    void node_killedInTheMiddleOfAnyRequest_paysForNothingTwice() throws Exception {
        Map<Integer, Long> complaints = new LinkedHashMap<>();
        List<CountDownLatch> stopped = new ArrayList<>();
        for (String what : List.of("model 1", "orders", "model 2", "inspect", "model 3", "model 4"))
            for (Moment moment : Moment.values()) {
                int order = 100 + complaints.size();
                stopped.add(model.stopAt(moment, order, what));
                complaints.put(order, complain(order));
                client.signal(complaints.get(order), APPROVAL, true);
            }
        long waiting = complain(200);
        complaints.put(200, waiting);

        ChildJvm first = node();
        for (CountDownLatch each : stopped)
            assertThat(each.await(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        awaitApproval(waiting);
        first.kill();
        first.awaitGone();
        node();
        client.signal(waiting, APPROVAL, true);
        for (Map.Entry<Integer, Long> each : complaints.entrySet()) assertPaidOnce(each.getValue(), each.getKey());
    }

    private void assertPaidOnce(long id, int order) throws Exception {
        assertAnswered(id, "Paid back.");
        assertThat(refunds(order)).as("refunds of " + order).isEqualTo("1");
        for (String what : List.of("model 1", "orders", "model 2", "model 3", "model 4"))
            assertThat(model.paid(order, what)).as(what + " of " + order).isEqualTo(1);
        assertThat(model.paid(order, "inspect")).isEqualTo(2);
    }
}
