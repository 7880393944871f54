package dev.howdah.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Processes that are created in a transaction of the caller. */
@Tag("long")
@PostgresTest
class ProcessInTransactionTest {
    private static final Namespace ORDERS = Namespace.of(
            "orders", (task, process) -> Intent.none().event(task.args().as(String.class)));

    private final TestDatabase database;

    ProcessInTransactionTest(TestDatabase database) {
        this.database = database;
        database.execute("CREATE TABLE orders (id text)");
    }

    private long count(String sql) {
        return Long.parseLong(Objects.requireNonNull(database.value(sql)));
    }

    private static void order(Connection connection, String id) throws SQLException {
        try (var statement = connection.prepareStatement("INSERT INTO public.orders VALUES (?)")) {
            statement.setString(1, id);
            statement.executeUpdate();
        }
    }

    @Test
    void process_existsIfTheTransactionCommits_andRunsThen() throws SQLException {
        try (Processes processes = Processes.on(Scripted.dataSource(database))
                        .namespace(ORDERS)
                        .start();
                Connection connection = Scripted.source(database).getConnection()) {
            connection.setAutoCommit(false);
            order(connection, "a");
            processes.init(connection, "orders", "a", "made");
            assertThatThrownBy(() -> processes.get("orders", "a"))
                    .isInstanceOfSatisfying(
                            ProcessException.class,
                            e -> assertThat(e.reason()).isEqualTo(ProcessException.Reason.PROCESS_NOT_FOUND));
            connection.rollback();
            assertThat(count("SELECT count(*) FROM howdah_internal.process")).isZero();

            order(connection, "a");
            processes.init(connection, "orders", "a", "made");
            connection.commit();
            Awaitility.await()
                    .atMost(Scripted.PATIENCE)
                    .until(() -> processes.get("orders", "a").status() == ProcessStatus.RUNNING);
            assertThat(processes.get("orders", "a").history())
                    .extracting(each -> each.payload().as(String.class))
                    .containsExactly("made");
            assertThatThrownBy(() -> processes.init(connection, "orders", "a", "again"))
                    .isInstanceOfSatisfying(
                            ProcessException.class,
                            e -> assertThat(e.reason()).isEqualTo(ProcessException.Reason.PROCESS_EXISTS));
            connection.rollback();
        }
    }

    @Test // the caller's search path finds operators of others first
    void process_createdWithAnHostileSearchPath_isRight() throws SQLException {
        database.execute(
                "CREATE SCHEMA evil; CREATE FUNCTION evil.times(double precision, bigint) RETURNS double precision"
                        + " LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'hijacked'; END $$;"
                        + " CREATE OPERATOR evil.* (LEFTARG = double precision, RIGHTARG = bigint, FUNCTION = evil.times)");
        try (Processes processes = Processes.on(Scripted.dataSource(database))
                        .namespace(ORDERS)
                        .start();
                Connection connection = Scripted.source(database).getConnection()) {
            try (var statement = connection.createStatement()) {
                statement.execute("SET search_path = evil, pg_catalog");
            }
            processes.init(connection, "orders", "b", "made");
            Awaitility.await()
                    .atMost(Scripted.PATIENCE)
                    .until(() -> processes.get("orders", "b").status() == ProcessStatus.RUNNING);
        }
    }

    @Test
    void request_withAnIdempotencyKeyOrOfNoNamespace_isRefused() throws SQLException {
        try (Processes processes = Processes.on(Scripted.dataSource(database))
                        .namespace(ORDERS)
                        .start();
                Connection connection = Scripted.source(database).getConnection()) {
            Request keyed = new Request("orders", "a", "x", null, "once", null, null);
            assertThatThrownBy(() -> processes.init(connection, keyed))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("has no idempotency key, not \"once\"");
            assertThatThrownBy(() -> processes.init(connection, "nothing", "a", "x"))
                    .isInstanceOfSatisfying(
                            ProcessException.class,
                            e -> assertThat(e.reason()).isEqualTo(ProcessException.Reason.NAMESPACE_NOT_FOUND));
        }
    }
}
