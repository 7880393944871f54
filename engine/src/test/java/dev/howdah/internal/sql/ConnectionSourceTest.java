package dev.howdah.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.job.Jobs;
import dev.howdah.job.JobsException;
import dev.howdah.process.ProcessException;
import dev.howdah.process.Processes;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;

@PostgresTest
class ConnectionSourceTest {
    private final PGSimpleDataSource direct = new PGSimpleDataSource();
    private final Connection session;

    ConnectionSourceTest(TestDatabase database) throws SQLException {
        direct.setUrl("jdbc:postgresql://127.0.0.1:" + database.server().port() + "/" + database.name());
        direct.setUser("postgres");
        session = direct.getConnection();
    }

    @AfterEach
    void close() throws SQLException {
        session.close();
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    /** A pool of that one session, which closing leaves open. */
    private ConnectionSource pool() {
        return ConnectionSource.of(proxy(DataSource.class, (proxy, method, values) -> pooled()));
    }

    private Connection pooled() {
        return proxy(Connection.class, (proxy, method, values) -> {
            if (method.getName().equals("close")) return null;
            try {
                return method.invoke(session, values);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        });
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    void connection_isReadyForUse_andGoesBackAsItWas() throws SQLException {
        session.setAutoCommit(false);
        session.setReadOnly(true);
        try (Connection borrowed = pool().getConnection()) {
            assertThat(borrowed.getAutoCommit()).isTrue();
            assertThat(borrowed.isReadOnly()).isFalse();
            run(borrowed, "CREATE TABLE made (n int)");
            borrowed.setAutoCommit(false);
            run(borrowed, "INSERT INTO made VALUES (1)");
        }
        assertThat(session.getAutoCommit()).isFalse();
        assertThat(session.isReadOnly()).isTrue();
        try (Connection other = direct.getConnection();
                Statement statement = other.createStatement();
                var row = statement.executeQuery("SELECT count(*) FROM made")) {
            row.next();
            assertThat(row.getInt(1))
                    .as("what was not committed is rolled back")
                    .isZero();
        }
    }

    @Test
    void connection_withATransactionBegunByText_goesBackWithoutIt() throws SQLException {
        try (Connection borrowed = pool().getConnection()) {
            run(borrowed, "BEGIN");
            run(borrowed, "CREATE TABLE made (n int)");
        }
        assertThat(session.getAutoCommit()).isTrue();
        assertThatThrownBy(() -> run(session, "TABLE made")).hasMessageContaining("does not exist");
    }

    @Test
    void connection_inATransactionThatHasWritten_isRefusedAndLeftAlone() throws SQLException {
        session.setAutoCommit(false);
        run(session, "CREATE TABLE made (n int)");
        assertThatThrownBy(() -> pool().getConnection()).hasMessageContaining("in the middle of a transaction");
        session.commit();
        run(session, "TABLE made");
    }

    @Test
    void connection_inTheTransactionOfAPoolsOwnTest_isTaken() throws SQLException {
        session.setAutoCommit(false);
        run(session, "SELECT 1");
        try (Connection borrowed = pool().getConnection()) {
            assertThat(borrowed.getAutoCommit()).isTrue();
        }
    }

    @Test
    void connection_isGotUsedAndClosedInOneThreadWithoutTransactions_alsoForAThreadThatIsInterrupted()
            throws Exception {
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        Set<String> called = ConcurrentHashMap.newKeySet();
        ConnectionSource source = ConnectionSource.of(proxy(DataSource.class, (proxy, method, values) -> {
            threads.add(Thread.currentThread());
            Connection pooled = pooled();
            return proxy(Connection.class, (its, use, given) -> {
                threads.add(Thread.currentThread());
                called.add(use.getName());
                return use.invoke(pooled, given);
            });
        }));
        Connection borrowed = source.getConnection();
        Thread.currentThread().interrupt();
        run(borrowed, "SELECT 1");
        assertThat(borrowed.unwrap(PGConnection.class).getBackendPID()).isPositive();
        borrowed.close();
        borrowed.close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(borrowed.isClosed()).isTrue();
        assertThat(borrowed.isValid(1)).isFalse();
        assertThatThrownBy(borrowed::createStatement).hasMessageContaining("has been closed");
        assertThat(threads).hasSize(1).doesNotContain(Thread.currentThread());
        assertThat(called).contains("createStatement", "close");
    }

    @Test
    void failure_ofAStatementInAnotherThread_showsWhereItWasAskedFor() throws Exception {
        try (Connection borrowed = pool().getConnection()) {
            assertThatThrownBy(() -> run(borrowed, "SELECT 1 / 0"))
                    .hasStackTraceContaining("ConnectionSourceTest.failure_ofAStatementInAnotherThread");
        }
    }

    @Test
    void connection_isNotWaitedForByAThreadThatIsInterrupted() throws Exception {
        CompletableFuture<Connection> given = new CompletableFuture<>();
        CompletableFuture<Void> closed = new CompletableFuture<>();
        CompletableFuture<Void> asked = new CompletableFuture<>();
        ConnectionSource source = ConnectionSource.of(proxy(DataSource.class, (proxy, method, values) -> {
            asked.complete(null);
            return given.get();
        }));
        Thread me = Thread.currentThread();
        asked.thenRun(me::interrupt);
        assertThatThrownBy(source::getConnection).hasMessageContaining("interrupted");
        assertThat(Thread.interrupted()).isTrue();
        given.complete(proxy(Connection.class, (proxy, method, values) -> {
            if (!method.getName().equals("close")) return method.invoke(session, values);
            closed.complete(null);
            return null;
        }));
        // What comes after all goes back.
        closed.join();
    }

    @Test
    void connection_isNotOfTheDriver_isRefused() {
        ConnectionSource source = ConnectionSource.of(proxy(
                DataSource.class,
                (proxy, method, values) -> proxy(
                        Connection.class,
                        (its, called, args) -> called.getName().equals("isWrapperFor") ? false : null)));
        assertThatThrownBy(source::getConnection).hasMessageContaining("pgjdbc");
    }

    @Test
    void connection_ofSimpleQueryMode_isRefusedAtStart() {
        direct.setPreferQueryMode(org.postgresql.jdbc.PreferQueryMode.SIMPLE);
        assertThatThrownBy(() -> Jobs.on(direct).start())
                .isInstanceOf(JobsException.class)
                .hasMessageContaining("preferQueryMode=simple");
        assertThatThrownBy(() -> Processes.on(direct).start())
                .isInstanceOf(ProcessException.class)
                .hasMessageContaining("preferQueryMode=simple");
    }
}
