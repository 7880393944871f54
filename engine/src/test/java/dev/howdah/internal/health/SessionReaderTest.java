package dev.howdah.internal.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.howdah.Database;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import dev.howdah.health.DatabaseHealth;
import dev.howdah.health.DatabaseSession;
import dev.howdah.health.SessionEnd;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Sessions of a real server, the oldest and the newest major, are listed and ended as the privileges of the role allow. */
class SessionReaderTest {
    private final List<AutoCloseable> opened = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (int i = opened.size() - 1; i >= 0; i--) opened.get(i).close();
    }

    private TestDatabase database(int major) {
        TestDatabase made = TestDatabase.create(TestServer.of(major));
        opened.add(made);
        return made;
    }

    private Statement session(TestDatabase database, String uri) throws SQLException {
        Connection connection = Database.of(uri).connect();
        opened.add(connection);
        return connection.createStatement();
    }

    private static List<DatabaseSession> sessions(TestDatabase database) throws SQLException {
        return DatabaseHealth.on(Database.of(database.uri())).sessions(500).stream()
                .filter(each -> database.name().equals(each.database()))
                .toList();
    }

    private static Instant started(DatabaseSession session) {
        return Objects.requireNonNull(session.started());
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void session_withATransaction_isListedAndEnded_andNoOtherWithItsPid(int major) throws Exception {
        TestDatabase database = database(major);
        DatabaseHealth health = DatabaseHealth.on(Database.of(database.uri()));
        database.execute("CREATE TABLE held (n int); INSERT INTO held VALUES (1)");
        Statement holder = session(database, database.uri());
        holder.execute("SET application_name = 'holder'; BEGIN; UPDATE held SET n = 2");
        Statement waiting = session(database, database.uri());
        CompletableFuture<Void> waits = CompletableFuture.runAsync(() -> {
            try {
                waiting.execute("UPDATE held SET n = 3");
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        await().until(() -> sessions(database).stream().anyMatch(DatabaseSession::waits));
        DatabaseSession first = sessions(database).get(0);
        assertThat(first.application()).isEqualTo("holder");
        assertThat(first.role()).isEqualTo("postgres");
        assertThat(first.state()).isEqualTo("idle in transaction");
        assertThat(first.transactionStarted()).isAfterOrEqualTo(started(first));
        assertThat(first.heldTransactions()).isNotNegative();
        assertThat(first.blocks()).isEqualTo(1);
        assertThat(first.waits()).isFalse();
        assertThat(first.query()).contains("UPDATE held SET n = 2");
        assertThat(health.session(first.pid())).isPresent();
        assertThat(health.end(first.pid(), started(first).plusNanos(1_000), SessionEnd.TERMINATE))
                .as("another session")
                .isFalse();
        assertThat(health.end(first.pid(), started(first), SessionEnd.CANCEL)).isTrue();
        assertThat(waits).as("a session without a statement stays").isNotDone();
        assertThat(health.end(first.pid(), started(first), SessionEnd.TERMINATE))
                .isTrue();
        waits.get();
        await().until(() -> health.session(first.pid()).isEmpty());
        assertThat(health.end(first.pid(), started(first), SessionEnd.TERMINATE))
                .isFalse();
        assertThatThrownBy(() -> holder.execute("COMMIT")).isInstanceOf(SQLException.class);
        assertThat(database.value("SELECT n FROM held")).isEqualTo("3");
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#oldestAndNewest")
    void session_ofAnotherRole_isEndedOnlyWithThePrivileges(int major) throws Exception {
        TestDatabase database = database(major);
        String app = database.name() + "_app";
        String ops = database.name() + "_ops";
        database.execute("CREATE ROLE " + app + " LOGIN; CREATE ROLE " + ops + " LOGIN");
        try {
            String uri = database.uri().replace("postgres@", app + "@");
            session(database, uri).execute("BEGIN; SELECT 17");
            session(database, database.uri()).execute("BEGIN; SELECT 18");
            DatabaseSession target = sessions(database).stream()
                    .filter(each -> app.equals(each.role()))
                    .findFirst()
                    .orElseThrow();
            DatabaseSession superuser = sessions(database).stream()
                    .filter(each -> "postgres".equals(each.role()))
                    .findFirst()
                    .orElseThrow();
            DatabaseHealth health = DatabaseHealth.on(Database.of(database.uri().replace("postgres@", ops + "@")));
            assertThat(health.sessions(500))
                    .noneMatch(each -> each.pid() == target.pid() && each.transactionStarted() != null);
            assertThatThrownBy(() -> health.end(target.pid(), started(target), SessionEnd.TERMINATE))
                    .isInstanceOf(SQLException.class)
                    .hasMessage("role " + ops + " may not end session " + target.pid() + " of role " + app
                            + ". Run: GRANT pg_read_all_stats TO " + ops + ";")
                    .extracting(e -> ((SQLException) e).getSQLState())
                    .isEqualTo("42501");
            database.execute("GRANT pg_read_all_stats TO " + ops);
            assertThat(health.sessions(500)).anyMatch(each -> each.pid() == target.pid());
            assertThatThrownBy(() -> health.end(target.pid(), started(target), SessionEnd.CANCEL))
                    .hasMessageContaining("GRANT pg_signal_backend TO " + ops + ";");
            database.execute("GRANT pg_signal_backend TO " + ops);
            assertThatThrownBy(() -> health.end(superuser.pid(), started(superuser), SessionEnd.TERMINATE))
                    .hasMessage("session " + superuser.pid()
                            + " is one of the superuser postgres, which only a superuser may end");
            assertThat(health.session(superuser.pid())).isPresent();
            assertThat(health.end(target.pid(), started(target), SessionEnd.TERMINATE))
                    .isTrue();
            await().until(() -> health.session(target.pid()).isEmpty());
        } finally {
            database.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename IN ('" + app + "', '"
                    + ops + "')");
            await().until(() -> "0"
                    .equals(database.value(
                            "SELECT count(*) FROM pg_stat_activity WHERE usename IN ('" + app + "', '" + ops + "')")));
            database.execute("DROP OWNED BY " + app + ", " + ops + "; DROP ROLE " + app + ", " + ops);
        }
    }
}
