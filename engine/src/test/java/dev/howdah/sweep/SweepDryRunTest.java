package dev.howdah.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.spi.RetryPolicy;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** What a dry run says is what the run does. */
@PostgresTest
class SweepDryRunTest {
    private static final int ROWS = 200;
    private static final String TABLES =
            "SELECT count(*)::text || COALESCE((SELECT string_agg(s::text, ';' ORDER BY id) FROM subscription s), '')"
                    + " FROM pg_class";

    private final SweepDatabase database;

    SweepDryRunTest(TestDatabase database) {
        this.database = SweepDatabase.in(database, ROWS);
        database.execute("UPDATE subscription SET last_mail_at = '2020-01-01' WHERE id % 2 = 0;"
                + " CREATE TABLE seen (id integer, query text)");
    }

    private SweepBuilder mailing() {
        return database.mailing()
                .where("last_mail_at < :started AND email LIKE '%p1%'")
                .workers(1)
                .retries(RetryPolicy.never());
    }

    private static List<String> texts(Iterable<SweepRow> rows) {
        List<String> texts = new java.util.ArrayList<>();
        for (SweepRow each : rows) texts.add(each.key() + " " + each.json());
        return texts;
    }

    @Test
    void rows_ofADryRun_areThoseOfTheRun_alsoWhenSomeHaveFailedForGood() throws InterruptedException {
        String before = database.text(TABLES);
        SweepPlan plan = mailing().dryRun();
        assertThat(database.text(TABLES)).as("nothing has changed").isEqualTo(before);
        Queue<SweepRow> seen = new ConcurrentLinkedQueue<>();
        try (Sweep sweep = mailing()
                .forEachRow(row -> {
                    seen.add(row);
                    if (row.getLong("id") % 3 == 0) throw new IllegalStateException("no");
                })
                .start()) {
            sweep.join();
        }
        assertThat(plan.rows()).isEqualTo(seen.size());
        assertThat(plan.first()).hasSize(10);
        assertThat(texts(seen).subList(0, 10)).isEqualTo(texts(plan.first()));

        database.execute("UPDATE subscription SET last_mail_at = '2020-01-01' WHERE id IN (10, 12, 14)");
        before = database.text(TABLES);
        SweepPlan second = mailing().dryRun();
        assertThat(database.text(TABLES)).isEqualTo(before);
        seen.clear();
        try (Sweep sweep = mailing().forEachRow(seen::add).start()) {
            sweep.join();
        }
        assertThat(second.rows() - second.skipped()).isEqualTo(seen.size());
        assertThat(texts(seen)).isEqualTo(texts(second.first()));
        SweepPlan third = mailing().retryFailed().dryRun();
        seen.clear();
        try (Sweep sweep = mailing().retryFailed().forEachRow(seen::add).start()) {
            sweep.join();
        }
        assertThat(third.rows() - third.skipped()).isEqualTo(seen.size()).isPositive();
        assertThat(texts(seen).subList(0, third.first().size())).isEqualTo(texts(third.first()));
    }

    @Test
    void sql_ofADryRun_isThatOfTheRun() throws InterruptedException {
        SweepBuilder builder = database.mailing()
                .where("mails = 0 AND '{\"a\":1}'::jsonb ? 'a'")
                .sql("INSERT INTO seen SELECT id, current_query() FROM batch");
        SweepPlan plan = builder.dryRun();
        assertThat(plan.sql()).hasSize(2);
        assertThat(plan.sql().get(1)).contains("last_mail_at = now(), mails = mails + 1");
        try (Sweep sweep = builder.start()) {
            assertThat(sweep.join().done()).isEqualTo(plan.rows());
        }
        assertThat(database.number("SELECT count(DISTINCT query) FROM seen")).isEqualTo(1);
        assertThat(database.text("SELECT DISTINCT query FROM seen").strip())
                .isEqualTo(plan.sql().get(0).strip());
    }
}
