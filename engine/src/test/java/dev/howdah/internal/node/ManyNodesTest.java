package dev.howdah.internal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.sql.Sql;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** More nodes in one database than one of them looks at. */
@PostgresTest
@Tag("long")
class ManyNodesTest {
    private static final Sql WATCH = NodeSql.NODE.statement("node_watch");
    private static final int SEEN = 64;

    private final TestDatabase database;
    private final PGSimpleDataSource source = new PGSimpleDataSource();

    ManyNodesTest(TestDatabase database) {
        this.database = database;
        source.setUrl("jdbc:" + database.uri().replace("postgres@", "") + "?user=postgres");
        Jobs.on(source).start().close();
    }

    /** Nodes whose locks no session holds. */
    private static void makeDead(Connection connection, int from, int to) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(
                    "INSERT INTO howdah_internal.node (id, name, features) OVERRIDING SYSTEM VALUE SELECT id, 'dead', '{job}' FROM"
                            + " generate_series(" + from + ", " + to + ") AS id");
        }
    }

    private static List<Integer> free(Connection connection, int node) throws SQLException {
        try (PreparedStatement look =
                        WATCH.prepare(connection, node, "00000000-0000-0000-0000-000000000000", new String[] {"job"});
                ResultSet row = look.executeQuery()) {
            row.next();
            assertThat(row.getInt("others")).isPositive();
            return Stream.of((Integer[]) row.getArray("ids").getArray())
                    .sorted()
                    .toList();
        }
    }

    @Test
    void node_amongMany_looksAtTheNextOnesAndThenAtTheFirst() throws SQLException {
        try (Connection connection = database.connect()) {
            connection.setAutoCommit(false);
            makeDead(connection, 1_001, 1_200);
            assertThat(free(connection, 1_050))
                    .isEqualTo(
                            IntStream.rangeClosed(1_051, 1_050 + SEEN).boxed().toList());
            assertThat(free(connection, 1_190))
                    .isEqualTo(IntStream.concat(
                                    IntStream.rangeClosed(1_001, 1_000 + SEEN - 10),
                                    IntStream.rangeClosed(1_191, 1_200))
                            .boxed()
                            .toList());
            connection.rollback();
        }
    }

    @Test
    void node_thatRunsMoreThanTheOthers_countsThoseThatCanTakeItsPlace() throws SQLException {
        try (Connection connection = database.connect()) {
            connection.setAutoCommit(false);
            makeDead(connection, 1_001, 1_010);
            try (Statement statement = connection.createStatement()) {
                statement.execute(
                        "UPDATE howdah_internal.node SET features = '{process,job}' WHERE id IN (1003, 1007)");
            }
            try (PreparedStatement look = WATCH.prepare(
                            connection, 1_007, "00000000-0000-0000-0000-000000000000", new String[] {"job", "process"
                            });
                    ResultSet row = look.executeQuery()) {
                row.next();
                assertThat(row.getInt("others")).isEqualTo(9);
                assertThat(row.getInt("peers")).isEqualTo(1);
                assertThat(row.getInt("before")).isEqualTo(1);
            }
            connection.rollback();
        }
    }

    @Test
    void node_thatIsLeftAlone_recoversAllOthersByAndBy() throws SQLException {
        try (Connection connection = database.connect()) {
            makeDead(connection, 5_001, 5_000 + SEEN + 10);
        }
        try (Jobs survivor = Jobs.on(source)
                .handle(Kind.of("any", String.class), (payload, job) -> {})
                .start()) {
            await("only the survivor is left")
                    .atMost(Patience.LIMIT)
                    .until(() -> "1".equals(database.value("SELECT count(*) FROM howdah_internal.node")));
            assertThat(database.value("SELECT id FROM howdah_internal.node"))
                    .isEqualTo(Integer.toString(survivor.node()));
        }
    }

    private long returned() {
        return Long.parseLong(String.valueOf(database.value("SELECT max(returned) FROM howdah_internal.node")));
    }

    @Test
    void node_whoseLooksAreRefused_restsBeforeItAsksAgain() {
        try (Jobs node = Jobs.on(source)
                .handle(Kind.of("any", String.class), (payload, job) -> {})
                .start()) {
            assertThat(node.node()).isPositive();
            database.execute("DROP TABLE howdah_internal.awaited_end");
            await("it has lost its session").atMost(Patience.LIMIT).until(() -> returned() >= 1);
            long first = returned();
            long began = System.nanoTime();
            await("and again").atMost(Patience.LIMIT).until(() -> returned() >= first + 4);
            assertThat(System.nanoTime() - began).isGreaterThan(1_500_000_000L);
        }
    }
}
