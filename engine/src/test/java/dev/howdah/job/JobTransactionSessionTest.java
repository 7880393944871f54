package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The sessions that a node keeps for the transactions of handlers: the next handler finds nothing of the one before. */
@PostgresTest
class JobTransactionSessionTest {
    private static final Kind<Long> WORK = Kind.of("work", Long.class);

    private final JobsDatabase database;

    JobTransactionSessionTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    private static String ask(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    void session_nextHandler_findsNothingOfTheOneBefore() {
        database.execute("CREATE SEQUENCE numbers");
        List<String> seen = Collections.synchronizedList(new ArrayList<>());
        String look =
                "SELECT concat_ws(' ', pg_backend_pid(), current_setting('work_mem'), current_setting('search_path'),"
                        + " current_user, (SELECT count(*) FROM pg_listening_channels()),"
                        + " (SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database"
                        + " WHERE d.datname = current_database() AND l.locktype = 'advisory' AND l.objid = 4711),"
                        + " (SELECT count(*) FROM pg_class WHERE relname = 'leftover'),"
                        + " (SELECT count(*) FROM pg_prepared_statements WHERE from_sql),"
                        + " (SELECT count(*) FROM pg_cursors WHERE is_holdable))";
        try (Jobs jobs = Jobs.on(database.source())
                .concurrency(1)
                .handleInTransaction(WORK, (payload, job, connection) -> {
                    seen.add(ask(connection, look));
                    run(connection, "CREATE ROLE left_" + payload);
                    run(connection, "SET work_mem = '7MB'");
                    run(connection, "SET search_path = public");
                    run(connection, "LISTEN somewhere");
                    run(connection, "SELECT pg_advisory_lock(4711)");
                    run(connection, "CREATE TEMP TABLE leftover (i integer)");
                    run(connection, "PREPARE leftover AS SELECT 1");
                    run(connection, "DECLARE kept CURSOR WITH HOLD FOR SELECT 1");
                    run(connection, "SELECT nextval('numbers')");
                    run(connection, "SET ROLE left_" + payload);
                    run(connection, "RESET ROLE");
                    run(connection, "GRANT left_" + payload + " TO CURRENT_USER");
                    run(connection, "SET ROLE left_" + payload);
                    run(connection, "RESET SESSION AUTHORIZATION");
                })
                .start()) {
            for (long i = 0; i < 3; i++) database.awaitLetters(jobs.add(WORK, i), "d");
        } finally {
            for (int i = 0; i < 3; i++) database.execute("DROP ROLE IF EXISTS left_" + i);
        }
        assertThat(seen).hasSize(3);
        assertThat(seen.get(1))
                .as("the session is used again, as it was at first")
                .isEqualTo(seen.get(0));
        assertThat(seen.get(2)).isEqualTo(seen.get(0));
    }

    /** Each of these is found alone: not all that is left is looked for one by one. */
    @Test
    void session_afterAHandlerThatLeftOneThing_isAsAtFirst() {
        database.execute("CREATE ROLE left_alone; CREATE SEQUENCE numbers");
        List<String> left = List.of(
                "SELECT 1",
                "SET work_mem = '7MB'",
                "SET ROLE left_alone",
                "SET SESSION AUTHORIZATION left_alone",
                "LISTEN somewhere",
                "SELECT pg_advisory_lock(4711)",
                "CREATE TEMP TABLE leftover (i integer)",
                "PREPARE leftover AS SELECT 1",
                "DECLARE kept CURSOR WITH HOLD FOR SELECT 1",
                "SET application_name = 'another'",
                "SELECT nextval('numbers')",
                "SELECT 2");
        List<String> seen = Collections.synchronizedList(new ArrayList<>());
        try (Jobs jobs = Jobs.on(database.source())
                .concurrency(1)
                .handleInTransaction(WORK, (payload, job, connection) -> {
                    seen.add(ask(
                            connection,
                            "SELECT concat_ws(' ', pg_backend_pid(), current_setting('work_mem'), session_user, current_user,"
                                    + " current_setting('application_name'), (SELECT count(*) FROM pg_listening_channels()),"
                                    + " (SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database"
                                    + " WHERE d.datname = current_database() AND l.locktype = 'advisory' AND l.objid = 4711),"
                                    + " (SELECT count(*) FROM pg_class WHERE relname = 'leftover'),"
                                    + " (SELECT count(*) FROM pg_prepared_statements WHERE from_sql),"
                                    + " (SELECT count(*) FROM pg_cursors WHERE is_holdable))"));
                    run(connection, left.get(payload.intValue()));
                    // The session of the role that it was set to may not write the end of the job.
                    if (left.get(payload.intValue()).contains("left_alone")) throw new FatalException("left");
                })
                .start()) {
            for (long i = 0; i < left.size(); i++)
                database.awaitLetters(jobs.add(WORK, i), left.get((int) i).contains("left_alone") ? "f" : "d");
        } finally {
            database.execute("DROP ROLE left_alone");
        }
        assertThat(seen).hasSize(left.size());
        for (int i = 1; i < seen.size(); i++)
            assertThat(seen.get(i)).as("behind " + left.get(i - 1)).isEqualTo(seen.get(0));
    }

    @Test
    void session_nextHandler_keepsThePlansOfTheDriver() {
        List<Long> prepared = Collections.synchronizedList(new ArrayList<>());
        try (Jobs jobs = Jobs.on(database.source())
                .concurrency(1)
                .handleInTransaction(
                        WORK,
                        (payload, job, connection) -> prepared.add(
                                Long.valueOf(ask(connection, "SELECT count(*) FROM pg_prepared_statements"))))
                .start()) {
            for (long i = 0; i < 12; i++) database.awaitLetters(jobs.add(WORK, i), "d");
        }
        assertThat(prepared.get(11)).isGreaterThan(2);
    }
}
