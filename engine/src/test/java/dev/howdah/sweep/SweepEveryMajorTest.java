package dev.howdah.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What sweeps do, in short, on every major version of PostgreSQL with their tables. All of it: {@code .ci/majors}. */
class SweepEveryMajorTest {
    private static final int ROWS = 500;

    private static void sweep(SweepBuilder builder) throws InterruptedException {
        try (Sweep sweep = builder.start()) {
            assertThat(sweep.join().done()).isEqualTo(ROWS);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#withTables")
    void rows_areDoneOnce_whateverTheWork(int major) throws InterruptedException {
        try (TestDatabase test = TestDatabase.create(TestServer.of(major))) {
            SweepDatabase database = SweepDatabase.in(test, ROWS);
            database.execute("CREATE TABLE mail (id integer)");
            sweep(database.mailing().forEachRow(row -> {}));
            database.execute("UPDATE subscription SET last_mail_at = NULL");
            sweep(database.mailing().name("run").orderBy("email").runTable().forEachRowInTransaction((row, c) -> {}));
            database.execute("UPDATE subscription SET last_mail_at = NULL");
            sweep(database.mailing().name("sql").sql("INSERT INTO mail SELECT id FROM batch"));
            assertThat(database.mails()).isEqualTo("3:" + ROWS);
            assertThat(database.text("SELECT count(*) || ' ' || count(DISTINCT id) FROM mail"))
                    .isEqualTo(ROWS + " " + ROWS);
        }
    }
}
