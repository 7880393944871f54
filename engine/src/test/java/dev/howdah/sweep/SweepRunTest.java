package dev.howdah.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.ChildJvm;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs, whose rows are stamped before any of them is worked on. */
@PostgresTest
class SweepRunTest {
    private static final int ROWS = 2_000;
    private static final String STAMPS = "SELECT count(*) || ' ' || count(DISTINCT key) FROM howdah_internal.sweep_run";

    private final SweepDatabase database;

    SweepRunTest(TestDatabase database) {
        this.database = SweepDatabase.in(database, ROWS);
        this.database.execute("ALTER TABLE subscription ADD run integer, ADD age integer, ADD joined timestamptz;"
                + " UPDATE subscription SET age = (id * 7919) % 5003, joined = CASE WHEN id % 100 > 0"
                + " THEN timestamptz '2026-01-01' + (id * 7919 % 5003) * interval '1 min' END;"
                + " CREATE INDEX ON subscription (run, age, id); CREATE INDEX ON subscription (run, joined, id);"
                + " CREATE INDEX ON subscription (run, id); CREATE INDEX ON subscription (run, email, id)");
    }

    private static SweepBuilder in(String stamps, SweepBuilder builder) {
        return stamps.equals("table") ? builder.runTable() : builder.runColumn(stamps);
    }

    @ParameterizedTest
    @CsvSource({"run, age DESC, age DESC", "table, email, email COLLATE \"C\""})
    void rows_ofARun_goInItsOrder(String stamps, String order, String sorted) throws InterruptedException {
        List<String> seen = Collections.synchronizedList(new ArrayList<>());
        SweepBuilder builder = in(stamps, database.mailing().workers(1)).forEachBatch(rows -> {
            // A worker gets rows of a batch as the table has them; batches are in the order of the run.
            seen.addAll(rows.stream().map(row -> row.key().get(0)).toList());
        });
        if (order != null) builder.orderBy(order);
        try (Sweep sweep = builder.batch(20).start()) {
            assertThat(sweep.join().done()).isEqualTo(ROWS);
        }
        List<String> wanted = new ArrayList<>();
        database.rows("SELECT id FROM subscription ORDER BY " + sorted + " NULLS LAST, id")
                .forEach(row -> wanted.add(row.get(0)));
        assertThat(seen).containsExactlyInAnyOrderElementsOf(wanted);
        Map<String, Integer> places = new HashMap<>();
        for (int i = 0; i < ROWS; i++) places.put(wanted.get(i), i);
        long far = IntStream.range(0, ROWS)
                .filter(i -> Math.abs(Objects.requireNonNull(places.get(seen.get(i))) - i) > 20)
                .count();
        // Where the order is NULL, or the same for many, rows may go in any order.
        assertThat(far).isLessThan(ROWS / 20);
        assertThat(database.mails()).isEqualTo("1:" + ROWS);
        assertThat(database.text(STAMPS)).isEqualTo("0 0");
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource({"run, , id", "run, joined, joined", "table, , id", "table, age DESC, age DESC", "table, joined, joined"
    })
    void rows_ofARun_goInFurtherOrders(String stamps, String order, String sorted) throws InterruptedException {
        rows_ofARun_goInItsOrder(stamps, order, sorted);
    }

    @ParameterizedTest // what appears later is not of the run, and the next one takes it
    @ValueSource(strings = {"run", "table"})
    void rows_thatAppearLater_areOfTheNextRun(String stamps) throws InterruptedException {
        try (Sweep sweep = in(stamps, database.mailing().workers(1))
                .forEachBatch(rows -> {
                    if (rows.get(0).getLong("id") == 1)
                        database.execute("INSERT INTO subscription (id, email) VALUES (10000, 'late')");
                })
                .start()) {
            assertThat(sweep.join().done()).isEqualTo(ROWS);
        }
        assertThat(database.mails()).isEqualTo("0:1 1:" + ROWS);
        try (Sweep sweep =
                in(stamps, database.mailing()).forEachBatch(rows -> {}).start()) {
            assertThat(sweep.join().state()).isEqualTo(SweepState.DONE);
        }
        assertThat(database.mails()).isEqualTo("1:" + (ROWS + 1));
    }

    @Tag("long")
    @ParameterizedTest // by force, in the middle: whoever waits goes on where it was
    @ValueSource(strings = {"run", "table"})
    void process_killedWhileItStamps_isFollowedByAnother(String stamps) throws SQLException, InterruptedException {
        database.execute("ALTER TABLE subscription ADD stamps integer NOT NULL DEFAULT 0;"
                + " CREATE FUNCTION count_stamp() RETURNS trigger LANGUAGE plpgsql AS"
                + " 'BEGIN NEW.stamps := OLD.stamps + 1; RETURN NEW; END';"
                + " CREATE TRIGGER count_stamp BEFORE UPDATE OF run ON subscription FOR EACH ROW EXECUTE FUNCTION count_stamp();"
                + " CREATE FUNCTION gate(integer) RETURNS boolean LANGUAGE plpgsql VOLATILE COST 10000 AS"
                + " 'BEGIN IF $1 = 1500 THEN PERFORM pg_advisory_xact_lock_shared(4711); END IF; RETURN true; END'");
        AtomicReference<String> stamped = new AtomicReference<>();
        try (Connection gate = database.source().getConnection();
                Statement statement = gate.createStatement()) {
            statement.execute("SELECT pg_advisory_lock(4711)");
            try (ChildJvm doomed =
                            ChildJvm.start(Stamper.class, List.of("-XX:TieredStopAtLevel=1"), database.uri(), stamps);
                    Sweep sweep = awaitStamped(stamps, stamped)) {
                assertThat(database.mails()).isEqualTo("0:" + ROWS);
                SweepDatabase.awaiting("it says what it waits for")
                        .until(() -> sweep.progress().workers().stream()
                                .anyMatch(each -> String.valueOf(each.held()).contains("stamped")));
                doomed.kill();
                statement.execute("SELECT pg_advisory_unlock(4711)");
                assertThat(sweep.join().state()).isEqualTo(SweepState.DONE);
            }
        }
        assertThat(stamped).hasValue(ROWS + " " + ROWS);
        assertThat(database.mails()).isEqualTo("1:" + ROWS);
    }

    /** Joins when the other process has stamped some rows. */
    private Sweep awaitStamped(String stamps, AtomicReference<String> stamped) {
        SweepDatabase.awaiting("some rows are stamped")
                .until(() -> database.number("SELECT count(*) FROM pg_namespace WHERE nspname = 'howdah'") > 0
                        && database.text("SELECT COALESCE(to_regclass('howdah_internal.sweep_run')::text, '')")
                                        .length()
                                > 0
                        && database.number("SELECT count(*) FROM howdah.sweep WHERE stamp_key IS NOT NULL") > 0);
        assertThat(database.number("SELECT count(*) FROM howdah.sweep WHERE stamped"))
                .isZero();
        String count = stamps.equals("table")
                ? STAMPS
                : "SELECT sum(stamps) || ' ' || count(*) FROM subscription WHERE run = (SELECT id FROM howdah.sweep)";
        return Stamper.sweep(database.uri(), stamps)
                .forEachBatch(rows -> stamped.compareAndSet(null, database.text(count)))
                .start();
    }

    /** A process of its own that begins the sweep. */
    static final class Stamper {
        private Stamper() {}

        static SweepBuilder sweep(String uri, String stamps) {
            SweepBuilder builder = Sweep.on(SweepDatabase.source(uri))
                    .name("mailing")
                    .table("subscription")
                    .where("last_mail_at IS NULL AND gate(id)")
                    .key("id")
                    .mark("last_mail_at = now(), mails = mails + 1")
                    .workers(2);
            return in(stamps, builder);
        }

        /** @param arguments the address of the database, and where stamps go */
        public static void main(String[] arguments) throws InterruptedException {
            sweep(arguments[0], arguments[1]).forEachBatch(rows -> {}).start().join();
        }
    }

    @Test
    void sweep_stoppedWithStamps_leavesNoneWhenItIsRemoved() throws InterruptedException {
        try (Sweep sweep = database.mailing()
                .runTable()
                .forEachRow(row -> {})
                .maxRowsPerSecond(100)
                .start()) {
            SweepDatabase.awaiting("it works").until(() -> sweep.progress().done() > 0);
            sweep.stop();
            assertThat(sweep.join().state()).isEqualTo(SweepState.STOPPED);
        }
        assertThat(database.text(STAMPS)).isEqualTo(ROWS + " " + ROWS);
        assertThat(Sweeps.on(database.dataSource()).remove("mailing")).isTrue();
        assertThat(database.text(STAMPS)).isEqualTo("0 0");
    }

    @Test
    void run_thatCannotBe_isRefusedWithWhatWouldServe() throws InterruptedException {
        assertThatThrownBy(() -> database.mailing().runColumn("email").start())
                .hasMessage(
                        "column email of subscription is of type text: the number of a run is an integer or a bigint");
        assertThatThrownBy(() -> database.mailing().runColumn("walk").start())
                .hasMessageContaining("has no column walk");
        database.execute(
                "CREATE TABLE large AS SELECT i AS id, repeat('x', 400) AS body, NULL::integer AS run, i % 100 AS age,"
                        + " NULL::integer AS last_mail_at, 0 AS mails FROM generate_series(1, 25000) i;"
                        + " CREATE UNIQUE INDEX ON large (id); ALTER TABLE large ALTER id SET NOT NULL; ANALYZE large");
        SweepBuilder large = database.mailing()
                .mark("mails = 1, last_mail_at = 1")
                .table("large")
                .runColumn("run")
                .orderBy("age");
        assertThatThrownBy(large::start)
                .hasMessageContaining("CREATE INDEX CONCURRENTLY ON \"public\".\"large\" (\"run\", \"age\", \"id\")");
        assertThat(large.dryRun().objections()).hasSize(1);
        database.execute("CREATE INDEX ON large (run, age, id); ANALYZE large");
        try (Sweep sweep = large.maxRowsPerSecond(10).start()) {
            assertThatThrownBy(() -> large.name("other").start())
                    .hasMessageContaining("has the numbers of the sweep mailing, which is not done");
            sweep.stop();
            assertThat(sweep.join(Duration.ofSeconds(30))).isTrue();
        }
    }
}
