package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.Deque;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A pooler that gives sessions for a transaction only is refused. */
@PostgresTest
class JobSessionCheckTest {
    private final TestDatabase server;
    private final JobsDatabase database;

    JobSessionCheckTest(TestDatabase database) {
        this.server = database;
        this.database = JobsDatabase.in(database);
    }

    /** As PgBouncer: the server's session that was free last is the next that is used, for one transaction. */
    private final class Pooler {
        private final Deque<Connection> free = new ArrayDeque<>();

        DataSource source() {
            return (DataSource) Proxy.newProxyInstance(
                    getClass().getClassLoader(),
                    new Class<?>[] {DataSource.class},
                    (proxy, method, values) -> client());
        }

        private Connection client() {
            Client client = new Client();
            return (Connection) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, values) -> {
                        String name = method.getName();
                        if (name.equals("setAutoCommit")) return client.automatic((boolean) values[0]);
                        if (name.equals("getAutoCommit")) return client.automatic;
                        if (name.equals("commit")) return client.commit();
                        if (name.equals("close") || name.equals("rollback")) return client.end();
                        return client.use(method, values);
                    });
        }

        private final class Client {
            private boolean automatic = true;
            private @Nullable Connection mine;

            @Nullable
            Object automatic(boolean now) throws SQLException {
                automatic = now;
                if (now) end();
                return null;
            }

            @Nullable
            Object commit() throws SQLException {
                if (mine != null) mine.commit();
                return end();
            }

            @Nullable
            Object end() throws SQLException {
                Connection held = mine;
                mine = null;
                if (held == null) return null;
                held.rollback();
                free.push(held);
                return null;
            }

            @Nullable
            Object use(java.lang.reflect.Method method, @Nullable Object @Nullable [] values) throws Throwable {
                if (mine == null) {
                    mine = free.isEmpty() ? server.connect() : free.pop();
                    mine.setAutoCommit(false);
                }
                Connection used = mine;
                // Between transactions anybody may have it.
                if (automatic) {
                    mine = null;
                    free.push(used);
                }
                try {
                    Object result = method.invoke(used, values);
                    if (automatic && method.getName().equals("unwrap")) used.rollback();
                    return result;
                } catch (InvocationTargetException e) {
                    throw e.getCause();
                }
            }
        }
    }

    @Test
    void source_givesSessionsForATransaction_isRefusedWithTheRemedy() throws SQLException {
        Pooler pooler = new Pooler();
        try {
            assertThatThrownBy(() -> Jobs.on(pooler.source()).start())
                    .isInstanceOf(JobsException.class)
                    .hasMessageContaining("sessions for a transaction only")
                    .hasMessageContaining("pool_mode = session");
        } finally {
            for (Connection each : pooler.free) each.close();
        }
    }

    @Test
    void source_givesSessionsForATransaction_isGoodEnoughForAllElse() throws SQLException {
        Pooler pooler = new Pooler();
        Kind<Long> kind = Kind.of("work", Long.class);
        database.execute("CREATE TABLE effect (job bigint)");
        try (Jobs jobs = Jobs.on(pooler.source())
                .sessionDataSource(database.source())
                .handleInTransaction(kind, (payload, job, connection) -> {
                    try (Statement statement = connection.createStatement()) {
                        statement.execute("INSERT INTO effect VALUES (" + job.id() + ")");
                    }
                })
                .start()) {
            long id = jobs.add(kind, 1L);
            database.awaitLetters(id, "d");
            assertThat(database.number("SELECT job FROM effect")).isEqualTo(id);
        } finally {
            for (Connection each : pooler.free) each.close();
        }
        assertThat(pooler.free).isNotEmpty();
    }

    @Test
    void source_givesSessions_isTaken() {
        try (Jobs jobs = database.jobs().start()) {
            assertThat(jobs.add(Kind.of("any", String.class), "x")).isPositive();
        }
    }
}
