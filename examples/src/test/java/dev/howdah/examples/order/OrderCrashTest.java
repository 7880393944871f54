package dev.howdah.examples.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.ChildJvm;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.job.query.JobState;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** An order whose node is killed in each step and in each wait. */
@PostgresTest
@Tag("long")
class OrderCrashTest {
    private final TestDatabase database;
    private final PGSimpleDataSource source = new PGSimpleDataSource();
    private final Jobs client;
    private final List<ChildJvm> nodes = new ArrayList<>();

    OrderCrashTest(TestDatabase database) {
        this.database = database;
        source.setURL(url());
        database.execute("CREATE TABLE ledger (purchase integer NOT NULL, line text NOT NULL)");
        client = Jobs.on(source).start();
    }

    @AfterEach
    void stop() {
        nodes.forEach(ChildJvm::close);
        client.close();
    }

    private String url() {
        return "jdbc:postgresql://127.0.0.1:" + database.server().port() + "/" + database.name() + "?user=postgres";
    }

    private static ConditionFactory await(String what) {
        return Awaitility.await(what).atMost(Patience.LIMIT).pollInterval(Duration.ofMillis(10));
    }

    private ChildJvm node() {
        ChildJvm node = ChildJvm.start(OrderNode.class, List.of("-XX:TieredStopAtLevel=1"), url());
        nodes.add(node);
        Collection<String> lines = node.lines();
        await("a node works")
                .untilAsserted(() -> assertThat(lines).as(node::log).anyMatch(each -> each.startsWith("works orders")));
        return node;
    }

    /** Kills the node when its next step has done its work and cannot commit: it waits for a lock of this session. */
    private void killInTheNextStep(ChildJvm node, Runnable begin) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("LOCK TABLE ledger IN SHARE MODE");
            begin.run();
            await("a step waits")
                    .until(() -> !"0"
                            .equals(database.value("SELECT count(*)::text FROM pg_locks l"
                                    + " WHERE NOT l.granted AND l.relation = 'ledger'::regclass")));
            node.kill();
            connection.rollback();
        }
    }

    private void awaitWait(long id, String code) {
        await(code).until(() -> client.admin().why(id).get(0).code().equals(code));
    }

    @Test
    void order_whoseNodesAreKilled_isDoneOnce() throws Exception {
        long[] id = new long[1];
        killInTheNextStep(node(), () -> id[0] = client.add(Order.ORDER, 17));
        ChildJvm second = node();
        awaitWait(id[0], "sleeps");
        second.kill();
        ChildJvm third = node();
        assertThat(client.admin().runNow(id[0])).isTrue();
        awaitWait(id[0], "awaits-signal");
        third.kill();
        killInTheNextStep(node(), () -> client.signal(id[0], "approval", true));
        ChildJvm fourth = node();
        await("a parcel is packed")
                .until(() ->
                        !"0".equals(database.value("SELECT count(*)::text FROM ledger WHERE line LIKE 'parcel%'")));
        fourth.kill();
        node();
        assertThat(client.await(id[0], Patience.LIMIT).state()).isEqualTo(JobState.DONE);
        assertThat(
                        database.value(
                                "SELECT string_agg(line || ' ' || n, ', ' ORDER BY line)"
                                        + " FROM (SELECT line, count(*) AS n FROM ledger GROUP BY line) l WHERE line NOT LIKE 'parcel%'"))
                .isEqualTo("charge 1, report 5500 g 1");
        assertThat(database.value(
                        "SELECT count(*) || ' ' || count(DISTINCT line) FROM ledger WHERE line LIKE 'parcel%'"))
                .isEqualTo("10 10");
        assertThat(database.value("SELECT count(*)::text FROM howdah.jobs WHERE kind = 'parcel'"))
                .isEqualTo("10");
    }
}
