package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.internal.insert.InsertBatch;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many jobs at a time. Each number that comes back is that of the job in its place, whoever else adds meanwhile. */
@PostgresTest
@Tag("long")
class JobBulkTest {
    private static final Kind<Long> WORK = Kind.of("work", Long.class);
    private static final int MANY = 1_000;
    private static final long GATE = 4711;
    private static final String HELD = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
            + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";

    private final JobsDatabase database;
    private final ExecutorService other = Executors.newSingleThreadExecutor();

    JobBulkTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    @AfterEach
    void close() {
        other.shutdownNow();
    }

    private static List<NewJob<Long>> step(long from, int size) {
        return LongStream.range(from, from + size)
                .mapToObj(number -> NewJob.of(WORK, number))
                .toList();
    }

    private void check(List<Long> ids, long from) {
        List<Long> expected = new ArrayList<>();
        for (List<?> row : database.rows("SELECT id FROM howdah_internal.job WHERE payload::text::bigint BETWEEN "
                + from + " AND " + (from + ids.size() - 1) + " ORDER BY payload::text::bigint"))
            expected.add(Long.parseLong(String.valueOf(row.get(0))));
        assertThat(ids).isEqualTo(expected);
    }

    @Test
    void ids_nobodyElseAdds_followOneAnother() throws SQLException {
        try (Jobs jobs = database.jobs().start();
                Connection connection = database.connect()) {
            for (int size : List.of(1, 2, 249, 250, MANY, 12_345)) {
                long from = size * 100_000L;
                List<Long> ids = jobs.addAll(step(from, size));
                check(ids, from);
                assertThat(ids).hasSize(size);
                assertThat(ids.get(size - 1)).isEqualTo(ids.get(0) + size - 1 + (size - 1) / InsertBatch.MOST);
            }
            List<Long> ids = jobs.addAll(connection, step(0, MANY));
            check(ids, 0);
        }
    }

    /** Holds up whoever writes the job in the middle until it is let go. */
    private void gate() {
        database.execute("CREATE FUNCTION held() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                + " PERFORM pg_advisory_xact_lock_shared(" + GATE + "); RETURN NEW; END $$");
        database.execute("CREATE TRIGGER held BEFORE INSERT ON howdah_internal.job FOR EACH ROW"
                + " WHEN (NEW.payload::text = '500') EXECUTE FUNCTION held()");
    }

    /** Adds so that another's job gets a number in the middle of them. */
    private void checkInterrupted(Jobs jobs, Connection connection) throws Exception {
        try (Connection keeper = database.connect();
                Statement keep = keeper.createStatement()) {
            keep.execute("SELECT pg_advisory_lock(" + GATE + ")");
            Future<List<Long>> added = other.submit(() -> jobs.addAll(connection, step(0, MANY)));
            JobsDatabase.awaiting("half of them are written").until(() -> database.number(HELD) == 1);
            long between = jobs.add(WORK, -1L);
            keep.execute("SELECT pg_advisory_unlock(" + GATE + ")");
            List<Long> ids = added.get();
            assertThat(ids).hasSize(MANY).doesNotContain(between);
            assertThat(ids.get(MANY - 1)).isEqualTo(ids.get(0) + MANY);
            if (!connection.getAutoCommit()) connection.commit();
            check(ids, 0);
        }
    }

    @Test
    void ids_anotherAddsMeanwhile_areTheirs() throws Exception {
        gate();
        try (Jobs jobs = database.jobs().start();
                Connection connection = database.connect()) {
            checkInterrupted(jobs, connection);
        }
    }

    @Test
    void ids_afterASavepointAndOthersOfThisTransaction_areTheirs() throws Exception {
        gate();
        try (Jobs jobs = database.jobs().start();
                Connection connection = database.connect()) {
            connection.setAutoCommit(false);
            jobs.addAll(connection, step(10_000, MANY));
            Savepoint savepoint = connection.setSavepoint();
            jobs.addAll(connection, step(20_000, MANY));
            connection.rollback(savepoint);
            checkInterrupted(jobs, connection);
        }
        assertThat(database.waiting()).isEqualTo(2 * MANY + 1);
    }
}
