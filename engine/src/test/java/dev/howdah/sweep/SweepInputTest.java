package dev.howdah.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.spi.RetryPolicy;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whatever else cannot be right: refused in a line that says what would be. */
@PostgresTest
class SweepInputTest {
    private final SweepDatabase database;

    SweepInputTest(TestDatabase database) {
        this.database = SweepDatabase.in(database, 50);
    }

    private static void refused(SweepBuilder builder, String... texts) {
        assertThatThrownBy(() -> builder.start().close())
                .isInstanceOf(SweepException.class)
                .message()
                .doesNotContain("\n")
                .contains(texts);
    }

    private SweepBuilder sweep(String table, String where, String key, String mark) {
        return Sweep.on(database.dataSource())
                .name("s")
                .table(table)
                .where(where)
                .key(key)
                .mark(mark);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "nothing | true | id | mails = 1 | there is no table nothing",
                "subscription | sent | id | mails = 1 | the condition is not accepted|column \"sent\" does not exist",
                "subscription | mails = | id | mails = 1 | the condition is not accepted",
                "subscription | mails = 0) OR (true | id | mails = 1 | ) without a (",
                "subscription | mails = 0; DROP TABLE x | id | mails = 1 | more than one statement",
                "subscription | mails = $1 | id | mails = 1 | parameters",
                "subscription | mails = 0 | nr | mails = 1 | has no column nr, only id, email",
                "pg_proc | true | procost | procost = 1 | column procost of pg_proc is of type real: a key is a whole number",
                "subscription | mails = 0 | last_mail_at | mails = 1 | is NULL in rows that are to do",
                "subscription | mails = 0 | id | mail = 1 | the mark is not accepted",
                "subscription | mails = 0 | mails | mails = 1 | is not known to be unique",
                "subscription_pkey | mails = 0 | id | mails = 1 | is not a table",
            })
    void input_thatCannotBeRight_isRefusedWithWhatWouldBe(
            String table, String where, String key, String mark, String says) {
        refused(sweep(table, where, key, mark), says.split("\\|"));
    }

    @Test
    void builder_withoutWhatItNeeds_saysWhat() {
        refused(
                Sweep.on(database.dataSource())
                        .name("s")
                        .table("subscription")
                        .where("true")
                        .key("id"),
                "a mark, such as");
        refused(
                Sweep.on(database.dataSource())
                        .name("s")
                        .table("subscription")
                        .where("true")
                        .mark("mails = 1"),
                "needs a key");
        refused(database.mailing().name("s").where(" "), "needs a condition");
        refused(database.mailing().sql(" ; "), "the work is empty");
        refused(
                database.mailing().sql("INSERT INTO nowhere SELECT id FROM batch"),
                "the work is not accepted",
                "nowhere");
        assertThatThrownBy(() -> database.mailing().workers(0)).hasMessageContaining("1 to 1000");
        assertThatThrownBy(() -> database.mailing().batch(0)).hasMessageContaining("1 to 10000");
        assertThatThrownBy(() -> database.mailing().maxRowsPerSecond(0)).hasMessageContaining("more than 0");
        assertThatThrownBy(() -> database.mailing().name("")).hasMessageContaining("1 to 200");
        assertThatThrownBy(() -> database.mailing().key()).hasMessageContaining("1 to 8");
    }

    @Test
    void table_large_withoutTheIndex_isRefusedWithTheOneThatServes() {
        database.execute("INSERT INTO subscription (id, email, last_mail_at) SELECT i, repeat('x', 200), now()"
                + " FROM generate_series(100, 60000) i; DROP INDEX subscription_todo; ANALYZE subscription");
        refused(
                database.mailing(),
                "CREATE INDEX CONCURRENTLY ON \"public\".\"subscription\" (\"id\") WHERE last_mail_at IS NULL");
        refused(
                database.mailing().orderBy("last_mail_at DESC"),
                "(14 MB): CREATE INDEX CONCURRENTLY ON \"public\".\"subscription\" (\"last_mail_at\", \"id\")");
        SweepPlan plan = database.mailing().dryRun();
        assertThat(plan.objections()).hasSize(1);
        database.execute("CREATE INDEX ON subscription (\"id\") WHERE last_mail_at IS NULL; ANALYZE subscription");
        database.mailing().start().close();
        database.mailing().name("2").orderBy("last_mail_at").force().start().close();
    }

    @Test
    void workers_tooManyForTheTableOfLocks_areRefusedWithWhatFits() {
        refused(
                database.mailing()
                        .sessionDataSource(database.source())
                        .workers(100)
                        .batch(1000),
                "need 100000 locks",
                "max_locks_per_transaction",
                "batches of ");
    }

    @Test
    void key_nullInRowsToDo_isRefused() {
        database.execute("CREATE TABLE loose (id integer UNIQUE, done boolean); INSERT INTO loose VALUES (1), (NULL)");
        refused(sweep("loose", "done IS NULL", "id", "done = true"), "is NULL in rows that are to do");
    }

    @Test // who goes on all the same hears of it before any such row is worked on; where a batch is one statement it
    // does no harm
    void key_notUnique_isNoticedBeforeItsRowsAreWorkedOn() throws InterruptedException {
        database.execute("CREATE TABLE loose (id integer, done integer); INSERT INTO loose VALUES (1), (2), (2), (3)");
        SweepBuilder loose = sweep("loose", "done IS NULL", "id", "done = COALESCE(done, 0) + 1");
        refused(loose, "the key (id) of loose is not known to be unique: CREATE UNIQUE INDEX CONCURRENTLY ON");
        AtomicInteger calls = new AtomicInteger();
        try (Sweep sweep = loose.force()
                .workers(1)
                .forEachRow(row -> {
                    assertThat(row.getLong("id")).isNotEqualTo(2);
                    calls.incrementAndGet();
                })
                .start()) {
            assertThatThrownBy(sweep::join)
                    .isInstanceOf(SweepException.class)
                    .hasMessage("the key is not unique: 2 is that of several rows."
                            + " Give the sweep a key with columns that tell them apart");
            assertThat(sweep.progress().state()).isEqualTo(SweepState.FAILED);
        }
        assertThat(calls).hasValueLessThan(3);
        try (Sweep sweep = sweep("loose", "done IS NULL", "id", "done = COALESCE(done, 0) + 1")
                .force()
                .start()) {
            assertThat(sweep.join().state()).isEqualTo(SweepState.DONE);
        }
        assertThat(database.text("SELECT string_agg(id || ':' || done, ' ' ORDER BY id) FROM loose"))
                .isEqualTo("1:1 2:1 2:1 3:1");
    }

    @Test // noticed with the first row, not after a million
    void mark_thatLeavesTheConditionTrue_isNoticedWithTheFirstRow() throws InterruptedException {
        AtomicInteger calls = new AtomicInteger();
        try (Sweep sweep = database.mailing()
                .mark("mails = mails + 1")
                .forEachRow(row -> calls.incrementAndGet())
                .start()) {
            assertThatThrownBy(sweep::join)
                    .isInstanceOf(SweepException.class)
                    .hasMessageContaining("the mark does not make the condition false: row ");
            assertThat(sweep.progress().state()).isEqualTo(SweepState.FAILED);
            assertThat(sweep.progress().error()).contains("the mark does not make");
        }
        assertThat(calls).hasValue(1);
    }

    @Test
    void start_whereTheServerTakesItsTime_waits() throws InterruptedException {
        database.execute("CREATE FUNCTION slow() RETURNS event_trigger LANGUAGE plpgsql AS"
                + " 'BEGIN PERFORM pg_sleep(1.2); END'; CREATE EVENT TRIGGER slow ON ddl_command_end"
                + " WHEN TAG IN ('CREATE SCHEMA', 'CREATE VIEW') EXECUTE FUNCTION slow()");
        try (Sweep sweep = database.mailing()
                .mark("last_mail_at = now()")
                .forEachRow(row -> {})
                .start()) {
            assertThat(sweep.join().state()).isEqualTo(SweepState.DONE);
        }
    }

    @Test // as the first one, where the row's work is SQL
    void work_thatLeavesTheConditionTrue_isNoticedWithTheFirstRow() {
        database.execute("CREATE TABLE mail (subscription integer)");
        try (Sweep sweep = Sweep.on(database.dataSource())
                .name("s")
                .table("subscription")
                .where("mails = 0")
                .key("id")
                .sql("INSERT INTO mail SELECT id FROM batch")
                .start()) {
            assertThatThrownBy(sweep::join).hasMessageContaining("the mark does not make the condition false");
        }
        assertThat(database.number("SELECT count(*) FROM mail")).isZero();
    }

    @Test
    void mark_thatLeavesSomeRowsToDo_isAnErrorOfThoseRows() throws InterruptedException {
        AtomicInteger calls = new AtomicInteger();
        try (Sweep sweep = database.mailing()
                .mark("last_mail_at = CASE WHEN id % 10 > 0 THEN now() END")
                .forEachRow(row -> calls.incrementAndGet())
                .start()) {
            SweepProgress end = sweep.join();
            assertThat(end.done()).isEqualTo(45);
            assertThat(end.failed()).isEqualTo(5);
        }
        assertThat(calls).hasValue(50);
        assertThat(Sweeps.on(database.dataSource()).errors("mailing", 10))
                .hasSize(5)
                .allMatch(each -> each.error().contains("still matches it") && each.retryAt() == null);
    }

    @Test // only the row that is to blame fails, whatever the work is
    void mark_thatViolatesAConstraint_failsThatRowOnly() throws InterruptedException {
        database.execute("ALTER TABLE subscription ADD CHECK (id <> 17 OR last_mail_at IS NULL)");
        try (Sweep sweep = database.mailing().retries(RetryPolicy.never()).start()) {
            assertThat(sweep.join().done()).isEqualTo(49);
        }
        assertThat(Sweeps.on(database.dataSource()).errors("mailing", 10))
                .singleElement()
                .satisfies(error -> {
                    assertThat(error.key()).containsExactly("17");
                    assertThat(error.error())
                            .contains("violates check constraint")
                            .doesNotContain("\n");
                });
        database.execute("UPDATE subscription SET last_mail_at = NULL");
        AtomicInteger calls = new AtomicInteger();
        try (Sweep sweep = database.mailing()
                .name("batches")
                .forEachBatch(rows -> calls.addAndGet(rows.size()))
                .start()) {
            assertThat(sweep.join().done()).isEqualTo(49);
        }
        assertThat(calls).hasValue(50);
        assertThat(Sweeps.on(database.dataSource()).errors("batches", 10))
                .singleElement()
                .satisfies(error -> assertThat(error.error()).startsWith("processed, but not marked: "));
    }

    @Test // the same name, something else
    void sweep_ofTheSameNameButAnother_isRefusedWithWhatDiffers() throws InterruptedException {
        try (Sweep sweep = database.mailing().start()) {
            sweep.join();
        }
        refused(
                database.mailing().where("mails = 0").orderBy("mails"),
                "there is another sweep named mailing",
                "where is \"last_mail_at IS NULL\", not \"mails = 0\"",
                "order is not set, not \"mails\"");
    }
}
