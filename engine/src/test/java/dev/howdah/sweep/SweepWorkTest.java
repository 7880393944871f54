package dev.howdah.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.error.HostileException;
import dev.howdah.spi.RetryPolicy;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is done to rows, and how they are marked. */
@Tag("long")
@PostgresTest
class SweepWorkTest {
    private static final int ROWS = 1_000;

    private final SweepDatabase database;

    SweepWorkTest(TestDatabase database) {
        this.database = SweepDatabase.in(database, ROWS);
    }

    @Test
    void rows_eachWorkedOn_areMarkedOnceAndTheSweepIsDone() throws InterruptedException {
        Set<String> seen = ConcurrentHashMap.newKeySet();
        AtomicInteger calls = new AtomicInteger();
        try (Sweep sweep = database.mailing()
                .forEachRow(row -> {
                    calls.incrementAndGet();
                    seen.add(row.getLong("id") + " " + row.getString("email"));
                })
                .start()) {
            SweepProgress end = sweep.join();
            assertThat(end.state()).isEqualTo(SweepState.DONE);
            assertThat(end.done()).isEqualTo(ROWS);
        }
        assertThat(calls).hasValue(ROWS);
        assertThat(seen).hasSize(ROWS).contains("17 p17@example.com");
        assertThat(database.mails()).isEqualTo("1:" + ROWS);
    }

    @Test
    void handler_throwsWhateverItLikes_rowFailsAndSweepGoesOn() throws InterruptedException {
        for (boolean own : new boolean[] {false, true}) {
            database.execute("UPDATE subscription SET last_mail_at = NULL");
            SweepBuilder builder =
                    database.mailing().retries(RetryPolicy.never()).name("hostile " + own);
            if (own) builder.forEachRowInTransaction((row, connection) -> fail(row.getLong("id")));
            else builder.forEachRow(row -> fail(row.getLong("id")));
            try (Sweep sweep = builder.start()) {
                SweepProgress end = sweep.join();
                assertThat(end.state()).isEqualTo(SweepState.DONE);
                assertThat(end.failed()).isEqualTo(4);
                assertThat(end.done()).isEqualTo(ROWS - 4);
            }
        }
        assertThat(database.text("SELECT string_agg(DISTINCT split_part(error, E'\\n', 1), ', '"
                        + " ORDER BY split_part(error, E'\\n', 1)) FROM howdah.sweep_error"))
                .startsWith("dev.howdah.internal.error.HostileException: (getMessage() threw ")
                .endsWith("java.lang.Error: err, java.lang.IllegalStateException: broken,"
                        + " java.lang.OutOfMemoryError: not really");
        assertThat(database.text("SELECT error FROM howdah.sweep_error WHERE error LIKE '%broken%' LIMIT 1"))
                .startsWith("java.lang.IllegalStateException: broken\n\tat ")
                .contains("\nCaused by: java.lang.RuntimeException: inner");
    }

    private static void fail(long id) {
        if (id == 1) throw new Error("err");
        if (id == 2) throw new OutOfMemoryError("not really");
        if (id == 3) throw new HostileException(HostileException.Way.MESSAGE_THROWS);
        if (id == 4) throw new IllegalStateException("broken", new RuntimeException("inner"));
    }

    @Test
    void rows_markedOnly_areMarkedOnce() throws InterruptedException {
        try (Sweep sweep = database.mailing().start()) {
            assertThat(sweep.join().done()).isEqualTo(ROWS);
        }
        assertThat(database.mails()).isEqualTo("1:" + ROWS);
    }

    @Test
    void rows_workedOnBySql_workAndMarkAreOneTransaction() throws InterruptedException {
        database.execute("CREATE TABLE mail (subscription integer, address text)");
        try (Sweep sweep = database.mailing()
                .sql("WITH a AS (SELECT id, email FROM batch) INSERT INTO mail SELECT id, email FROM a")
                .retries(RetryPolicy.never())
                .start()) {
            sweep.join();
            assertThat(database.text("SELECT COALESCE(max(error), 'none') FROM howdah.sweep_error"))
                    .isEqualTo("none");
            assertThat(sweep.join().done()).isEqualTo(ROWS);
        }
        assertThat(database.mails()).isEqualTo("1:" + ROWS);
        assertThat(database.number("SELECT count(DISTINCT subscription) * 10000 + count(*) FROM mail"))
                .isEqualTo(ROWS * 10000L + ROWS);
    }

    @Test
    void rows_workedOnInTheirTransaction_workAndMarkAreOneTransaction() throws InterruptedException {
        database.execute("CREATE TABLE mail (subscription integer, address text)");
        try (Sweep sweep = database.mailing()
                .forEachRowInTransaction((row, connection) -> {
                    try (var insert = connection.prepareStatement("INSERT INTO mail VALUES (?, ?)")) {
                        insert.setInt(1, (int) row.getLong("id"));
                        insert.setString(2, row.getString("email"));
                        insert.execute();
                    }
                })
                .start()) {
            assertThat(sweep.join().done()).isEqualTo(ROWS);
        }
        assertThat(database.mails()).isEqualTo("1:" + ROWS);
        assertThat(database.number("SELECT count(DISTINCT subscription) * 10000 + count(*) FROM mail"))
                .isEqualTo(ROWS * 10000L + ROWS);
    }

    @Test
    void rows_workedOnInBatches_areMarkedTogether() throws InterruptedException {
        AtomicInteger rows = new AtomicInteger();
        AtomicInteger largest = new AtomicInteger();
        try (Sweep sweep = database.mailing()
                .batch(50)
                .forEachBatch(batch -> {
                    rows.addAndGet(batch.size());
                    largest.accumulateAndGet(batch.size(), Math::max);
                })
                .start()) {
            sweep.join();
        }
        assertThat(rows).hasValue(ROWS);
        assertThat(largest.get()).isBetween(2, 50);
        assertThat(database.mails()).isEqualTo("1:" + ROWS);
    }

    @Test
    void view_overATable_isSweptAsATableIs() throws InterruptedException {
        database.execute("CREATE VIEW half AS SELECT id, email, last_mail_at, mails FROM subscription WHERE id <= 500");
        try (Sweep sweep =
                database.mailing().table("half").forEachRow(row -> {}).start()) {
            assertThat(sweep.join().done()).isEqualTo(500);
        }
        assertThat(database.mails()).isEqualTo("0:500 1:500");
    }

    @Test // a query is swept as a view; where PostgreSQL cannot update that, the work marks the rows
    void query_asAView_isSweptByWorkThatMarksItsTable() throws InterruptedException {
        database.execute("CREATE TABLE city (id integer PRIMARY KEY, wants boolean);"
                + " INSERT INTO city SELECT i, i % 2 = 0 FROM generate_series(0, 9) i;"
                + " CREATE VIEW due AS SELECT s.id, s.last_mail_at, s.mails, c.id AS city FROM subscription s"
                + " JOIN city c ON c.id = s.id % 10 WHERE c.wants");
        SweepBuilder due = database.mailing().table("due");
        assertThatThrownBy(due::start)
                .hasMessageContaining("the mark is not accepted by PostgreSQL: cannot update view");
        Sweep byWork = Sweep.on(database.dataSource())
                .name("due")
                .table("due")
                .where("last_mail_at IS NULL")
                .key("id")
                .sql(
                        "UPDATE subscription s SET last_mail_at = now(), mails = s.mails + 1 FROM batch b WHERE s.id = b.id")
                .start();
        try (byWork) {
            assertThat(byWork.join().failed()).isZero();
        }
        assertThat(database.mails()).isEqualTo("0:500 1:500");
        assertThatThrownBy(() -> database.mailing()
                        .table("(SELECT id FROM subscription)")
                        .start())
                .hasMessageContaining("a sweep goes over a table or a view, not a query: CREATE VIEW");
    }

    @Test
    void view_overALargeTableWithoutTheIndex_isRefused() {
        database.execute(
                "INSERT INTO subscription (id, email, last_mail_at) SELECT i, repeat('x', 200), now()"
                        + " FROM generate_series(2000, 60000) i; DROP INDEX subscription_todo; ANALYZE subscription;"
                        + " CREATE VIEW outer_view AS SELECT * FROM subscription; CREATE VIEW nested AS SELECT * FROM outer_view");
        assertThatThrownBy(() -> database.mailing().table("nested").start())
                .hasMessageContaining("would walk over about")
                .hasMessageContaining("ON the table under \"public\".\"nested\" (\"id\") WHERE last_mail_at IS NULL");
    }

    @Test
    void table_partitioned_isSweptAsOne() throws InterruptedException {
        database.execute("CREATE TABLE part (id integer PRIMARY KEY, done boolean) PARTITION BY HASH (id);"
                + " CREATE TABLE part_0 PARTITION OF part FOR VALUES WITH (MODULUS 2, REMAINDER 0);"
                + " CREATE TABLE part_1 PARTITION OF part FOR VALUES WITH (MODULUS 2, REMAINDER 1);"
                + " INSERT INTO part SELECT i FROM generate_series(1, 300) i");
        try (Sweep sweep = Sweep.on(database.dataSource())
                .name("part")
                .table("part")
                .where("done IS NOT TRUE")
                .key("id")
                .mark("done = true")
                .start()) {
            assertThat(sweep.join().done()).isEqualTo(300);
        }
        assertThat(database.number("SELECT count(*) FROM part WHERE done")).isEqualTo(300);
    }
}
