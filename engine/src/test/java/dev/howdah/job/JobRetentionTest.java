package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.job.internal.maintain.HistoryCleaner;
import dev.howdah.job.internal.store.DayTables;
import dev.howdah.spi.RetryPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Done and failed jobs go when their time is over, a day's table at a time, and nobody waits for that. */
@PostgresTest
@Timeout(60)
@Tag("long")
class JobRetentionTest {
    private static final Kind<String> WORK = Kind.of("work", String.class);
    /** What does not grow with the number of jobs. */
    private static final Set<String> SETTINGS = Set.of(
            "counted_tag",
            "delegate",
            "error_mark",
            "node_end",
            "migration",
            "retention",
            "lane",
            "lane_priority",
            "queue_limit",
            "schedule",
            "stat",
            "stat_mark");

    private final JobsDatabase database;

    JobRetentionTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    private Jobs start() {
        return database.jobs()
                .defaultRetries(RetryPolicy.never())
                .handle(WORK, (text, job) -> {
                    if (text.startsWith("fail")) throw new IllegalStateException(text);
                })
                .start();
    }

    private void tidy() throws SQLException {
        HistoryCleaner housekeeper = new HistoryCleaner(ConnectionSource.of(database.dataSource()), 7, 30);
        housekeeper.tidy();
    }

    private void makeDay(int daysAgo) {
        database.execute("SELECT howdah_internal.make_day(CURRENT_DATE - " + daysAgo + ")");
    }

    private boolean hasDay(int daysAgo) {
        return database.number(
                        "SELECT count(*) FROM pg_inherits WHERE inhparent = 'howdah_internal.batch'::regclass AND inhrelid ="
                                + " to_regclass('howdah_internal.batch_' || to_char(CURRENT_DATE - " + daysAgo
                                + ", 'YYYYMMDD'))")
                == 1;
    }

    @Test
    void doneJobs_areFoundUntilTheirDaysAreOver_andGoWithTheirTable() throws SQLException {
        makeDay(7);
        makeDay(8);
        long old;
        long kept;
        try (Jobs jobs = start()) {
            old = jobs.add(WORK, "old");
            database.awaitLetters(old, "d");
            database.execute("UPDATE howdah_internal.batch SET day = CURRENT_DATE - 8");
            kept = jobs.add(WORK, "kept");
            database.awaitLetters(kept, "d");
            database.execute("UPDATE howdah_internal.batch SET day = CURRENT_DATE - 7 WHERE day >= CURRENT_DATE - 1");
        }
        String found = "SELECT id, state, payload FROM howdah.find(%d)";
        assertThat(database.rows(found.formatted(old))).hasToString("[[" + old + ", done, \"old\"]]");
        tidy();
        assertThat(hasDay(8)).isFalse();
        assertThat(hasDay(7)).isTrue();
        assertThat(database.rows(found.formatted(old))).isEmpty();
        assertThat(database.rows(found.formatted(kept))).hasToString("[[" + kept + ", done, \"kept\"]]");
        assertThat(database.rows("SELECT id FROM howdah.jobs WHERE state = 'done'"))
                .hasToString("[[" + kept + "]]");
    }

    @Test // what is open for so long moves on by itself
    void oldDay_withAnOpenBatch_stays() throws SQLException {
        makeDay(9);
        database.execute(
                "INSERT INTO howdah_internal.batch (day, node, lane, begun, alone, jobs, first_id, last_id, ids, run_at, kind, payloads)"
                        + " VALUES (CURRENT_DATE - 9, 77, 1, true, false, 1, 1, 1, '{1}', now(), 'work', ARRAY['1'::json])");
        tidy();
        assertThat(hasDay(9)).isTrue();
        database.execute("UPDATE howdah_internal.batch SET ended = now()");
        tidy();
        assertThat(hasDay(9)).isFalse();
    }

    @Test
    void readerOfTheHistory_forLong_holdsUpNobodyAndIsNotHeldUp() throws SQLException {
        makeDay(9);
        try (Jobs jobs = start();
                Connection reader = database.connect();
                Statement statement = reader.createStatement()) {
            for (int day = 1; day <= 3; day++)
                database.execute(
                        "SELECT howdah_internal.drop_day('batch_' || to_char(CURRENT_DATE + " + day + ", 'YYYYMMDD'))");
            reader.setAutoCommit(false);
            statement.execute("SELECT count(*) FROM howdah_internal.batch");
            tidy();
            assertThat(hasDay(-3)).as("made beside the reader").isTrue();
            assertThat(hasDay(9)).as("not dropped beside the reader").isTrue();
            database.awaitLetters(jobs.add(WORK, "meanwhile"), "d");
            assertThat(
                            database.number(
                                    "SELECT count(*) FROM pg_locks WHERE NOT granted"
                                            + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
                                            + " AND relation IN (SELECT oid FROM pg_class WHERE relnamespace::regnamespace::text ~ '^howdah')"))
                    .isZero();
            statement.execute("SELECT count(*) FROM howdah_internal.batch");
            reader.commit();
            tidy();
            assertThat(hasDay(9)).isFalse();
        }
    }

    @Test // two begin at once, in a database that has none
    void days_areLikeThoseMadeAsParts_andMadeOnce() throws Exception {
        makeDay(5);
        database.execute(
                "CREATE TABLE howdah_internal.batch_19990101 PARTITION OF howdah_internal.batch FOR VALUES IN ('1999-01-01')");
        String like =
                "SELECT attname, atttypid::regtype, attnotnull, attstorage, attidentity, pg_get_expr(adbin, adrelid) FROM pg_attribute"
                        + " LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum"
                        + " WHERE attnum > 0 AND attrelid = 'howdah_internal.%s'::regclass ORDER BY attnum";
        String indexes =
                "SELECT replace(indexdef, '%1$s', '') FROM pg_indexes WHERE schemaname = 'howdah_internal' AND tablename = '%1$s' ORDER BY 1";
        String made = "batch_" + database.text("SELECT to_char(CURRENT_DATE - 5, 'YYYYMMDD')");
        assertThat(database.rows(like.formatted(made))).isEqualTo(database.rows(like.formatted("batch_19990101")));
        assertThat(database.rows(indexes.formatted(made)))
                .isEqualTo(database.rows(indexes.formatted("batch_19990101")));
        List<Thread> makers = List.of(maker(), maker(), maker());
        for (int day = -1; day <= 3; day++)
            database.execute(
                    "SELECT howdah_internal.drop_day('batch_' || to_char(CURRENT_DATE + " + day + ", 'YYYYMMDD'))");
        for (Thread each : makers) each.start();
        for (Thread each : makers) each.join();
        for (int day = -1; day <= 3; day++) assertThat(hasDay(-day)).isTrue();
    }

    private Thread maker() {
        return new Thread(() -> {
            try (Connection connection = database.connect()) {
                DayTables.make(connection);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    @Test // nothing grows with history
    void everythingOfJobs_isGone_whenTheirTimeIsOver() throws SQLException {
        String large = "x".repeat(10_000);
        try (Jobs jobs = start()) {
            for (String text : List.of("plain", large, "fail", "fail" + large)) {
                jobs.add(WORK, text);
                jobs.add(NewJob.of(WORK, text).orderKey("customer"));
                jobs.add(NewJob.of(WORK, text).key("key " + text.length()));
                jobs.add(NewJob.of(WORK, text).key("version " + text.length()).version(Instant.EPOCH));
                jobs.admin()
                        .cancel(jobs.add(NewJob.of(WORK, text).priority(50).delay(Duration.ofDays(1)))
                                .id());
            }
            database.awaitEmpty();
            JobsDatabase.awaiting("no turn is held")
                    .until(() -> database.number("SELECT count(*) FROM howdah_internal.order_key") == 0);
            assertThat(tables()).contains("batch", "failed", "body", "key");
        }
        makeDay(8);
        database.execute("UPDATE howdah_internal.batch SET day = CURRENT_DATE - 8;"
                + " UPDATE howdah_internal.failed SET ended = ended - interval '31 days';"
                + " UPDATE howdah_internal.key SET ended = ended - interval '31 days'");
        tidy();
        assertThat(tables()).isEmpty();
    }

    /** Those in which something stands, but those that hold what there is to know of any number of jobs. */
    private Set<String> tables() {
        Set<String> full = new TreeSet<>();
        for (List<@Nullable String> row : database.rows(
                "SELECT relname, oid::regclass FROM pg_class WHERE relnamespace::regnamespace::text ~ '^howdah'"
                        + " AND relkind IN ('r', 'p') AND NOT relispartition")) {
            String name = String.valueOf(row.get(0));
            if (!SETTINGS.contains(name) && database.number("SELECT count(*) FROM " + row.get(1)) > 0) full.add(name);
        }
        return full;
    }
}
