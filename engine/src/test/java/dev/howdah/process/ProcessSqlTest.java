package dev.howdah.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Processes that are started and told something by functions of SQL, by a role that may do nothing else. */
@PostgresTest
class ProcessSqlTest {
    private static final Namespace ORDERS = Namespace.of("orders", (task, process) -> {
        String args = task.args().text();
        if (args.contains("fail")) throw new StepFailedException("no");
        return Intent.none().event(args);
    });

    private final TestDatabase database;
    private final String role;
    private Processes node;

    ProcessSqlTest(TestDatabase database) {
        this.database = database;
        this.role = database.name() + "_shop";
        this.node =
                Processes.on(Scripted.dataSource(database)).namespace(ORDERS).start();
    }

    @BeforeEach
    void grant() {
        database.execute("CREATE ROLE " + role + " LOGIN; GRANT USAGE ON SCHEMA howdah, howdah_internal TO " + role
                + "; GRANT EXECUTE ON FUNCTION howdah.start_process, howdah.notify_process, howdah_internal.start_process,"
                + " howdah_internal.notify_process, howdah_internal.given_json(text, text),"
                + " howdah_internal.given_json(text, anyelement) TO " + role);
    }

    @AfterEach
    void stop() {
        node.close();
        database.execute("DROP OWNED BY " + role + "; DROP ROLE " + role);
    }

    private Connection shop() throws SQLException {
        PGSimpleDataSource source = Scripted.source(database);
        source.setUser(role);
        return source.getConnection();
    }

    private static @Nullable String ask(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT howdah." + sql)) {
            row.next();
            return row.getString(1);
        }
    }

    private List<String> events(String id) {
        return node.get("orders", id).history().stream()
                .map(each -> each.payload().as(String.class))
                .toList();
    }

    private void awaitEvents(String id, String... expected) {
        await().atMost(Scripted.PATIENCE)
                .ignoreExceptions()
                .untilAsserted(() -> assertThat(events(id)).containsExactly(expected));
    }

    @Test
    void process_startedAndTold_runsAfterTheCommit_andNotAfterARollback() throws SQLException {
        try (Connection shop = shop()) {
            shop.setAutoCommit(false);
            assertThat(ask(shop, "start_process('orders', 'gone', '{}'::json)")).isEqualTo("t");
            shop.rollback();
            assertThat(ask(shop, "start_process('orders', 'a', '{\"n\": 1.10}'::json)"))
                    .isEqualTo("t");
            assertThat(ask(shop, "start_process('orders', 'a')")).isEqualTo("f");
            shop.commit();
            awaitEvents("a", "{\"n\": 1.10}");
            ask(shop, "notify_process('orders', 'a', '2'::json)");
            shop.rollback();
            ask(shop, "notify_process('orders', 'a', '3'::json)");
            ask(shop, "notify_process('orders', 'a', '4'::json)");
            shop.commit();
            awaitEvents("a", "{\"n\": 1.10}", "3", "4");
        }
        assertThat(database.value("SELECT count(*) FROM howdah_internal.process"))
                .isEqualTo("1");
        node.call("orders", "a", 5);
        awaitEvents("a", "{\"n\": 1.10}", "3", "4", "5");
    }

    @Test
    void args_areTakenInEachFormThatDriversSend_andMayBeLeftOut() throws SQLException {
        try (Connection shop = shop()) {
            ask(shop, "start_process('orders', 'json', '[1, 2]'::json)");
            ask(shop, "start_process('orders', 'jsonb', '[1, 2]'::jsonb)");
            ask(shop, "start_process('orders', 'text', '[1, 2]'::text)");
            ask(shop, "start_process('orders', 'unknown', '[1, 2]')");
            ask(shop, "start_process(namespace => 'orders', id => 'none')");
            ask(shop, "start_process('orders', 'null', NULL)");
            for (String each : List.of("json", "jsonb", "text", "unknown")) awaitEvents(each, "[1, 2]");
            for (String each : List.of("none", "null")) awaitEvents(each, "null");
            for (String each : List.of("json", "jsonb", "text"))
                ask(shop, "notify_process('orders', 'none', '7'::" + each + ")");
            ask(shop, "notify_process('orders', 'none', NULL)");
            ask(shop, "notify_process('orders', 'none')");
            awaitEvents("none", "null", "7", "7", "7", "null", "null");
        }
    }

    @Test
    void request_thatCannotBe_isRefused_andTheRoleMayDoNothingElse() throws SQLException {
        try (Connection shop = shop()) {
            ask(shop, "start_process('orders', 'broken', '\"fail\"')");
            await().atMost(Scripted.PATIENCE)
                    .until(() -> "error".equals(database.value("SELECT status FROM howdah_internal.process")));
            assertRefused(shop, "notify_process('orders', 'broken')", "55000", "status error");
            assertRefused(shop, "notify_process('orders', 'nope')", "P0002", "no process \"nope\"");
            assertRefused(shop, "start_process('nope', 'a')", "22023", "no namespace \"nope\"");
            assertRefused(shop, "start_process('orders', '')", "22023", "1 to 256");
            assertRefused(shop, "start_process('orders', NULL)", "22023", "1 to 256");
            assertRefused(shop, "start_process('orders', 'a', '{')", "22P02", "json");
            for (String each : List.of(
                    "SELECT FROM howdah_internal.process_task",
                    "DELETE FROM howdah_internal.process",
                    "SELECT howdah_internal.process_asked(1, 1, 'remove', NULL, 1, true)",
                    "SELECT howdah_internal.process_namespace_id('orders')"))
                assertThatThrownBy(() -> shop.createStatement().execute(each))
                        .hasMessageContaining("permission denied");
        }
        database.execute("REVOKE ALL ON ALL FUNCTIONS IN SCHEMA howdah FROM " + role);
        try (Connection shop = shop()) {
            assertRefused(shop, "start_process('orders', 'b')", "42501", "permission denied");
            assertRefused(shop, "notify_process('orders', 'b', '1'::jsonb)", "42501", "permission denied");
        }
    }

    private static void assertRefused(Connection connection, String sql, String state, String words) {
        assertThatThrownBy(() -> ask(connection, sql))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo(state))
                .hasMessageContaining(words);
    }
}
