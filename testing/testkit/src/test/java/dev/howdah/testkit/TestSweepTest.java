package dev.howdah.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.spi.RetryPolicy;
import dev.howdah.sweep.Sweep;
import dev.howdah.sweep.SweepBuilder;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

@PostgresTest
class TestSweepTest {
    private final TestDatabase database;
    private final DataSource source;

    TestSweepTest(TestDatabase database) {
        PGSimpleDataSource direct = new PGSimpleDataSource();
        direct.setURL(
                "jdbc:postgresql://127.0.0.1:" + database.server().port() + "/" + database.name() + "?user=postgres");
        this.database = database;
        this.source = database.dataSource(direct);
    }

    @BeforeEach
    void makeTable() {
        database.execute("CREATE TABLE subscription (id bigint PRIMARY KEY, email text, mailed boolean NOT NULL);"
                + " INSERT INTO subscription SELECT i, 'm' || i, i = 3 FROM generate_series(1, 5) AS i");
    }

    private SweepBuilder sweep() {
        return Sweep.on(source)
                .name("mailing")
                .table("subscription")
                .where("NOT mailed")
                .key("id")
                .mark("mailed = true")
                .workers(1)
                .retries(RetryPolicy.linear(Duration.ofHours(10), 3));
    }

    @Test
    void run_toItsEnd_doesAllThatMatch() {
        Queue<String> mailed = new ConcurrentLinkedQueue<>();
        TestSweep done = TestSweep.run(source, sweep().forEachRow(row -> {
            mailed.add(row.getString("email"));
        }));
        done.assertDone(4).assertNoneFailed();
        assertThat(mailed).containsExactlyInAnyOrder("m1", "m2", "m4", "m5");
        assertThatThrownBy(() -> done.assertDone(5))
                .isInstanceOf(AssertionError.class)
                .hasMessage("the sweep mailing is DONE with 4 rows done, not done with 5");
        assertThatThrownBy(() -> done.assertFailed("1"))
                .hasMessage("the row [1] of mailing has not failed, and no other one");
    }

    @Test
    void run_rowsThatFail_areRetriedWithoutWaiting() {
        Queue<String> tried = new ConcurrentLinkedQueue<>();
        TestSweep done = TestSweep.run(source, sweep().forEachRow(row -> {
            String email = String.valueOf(row.getString("email"));
            tried.add(email);
            if (email.equals("m1")) throw new IllegalStateException("no such mailbox");
            if (email.equals("m2") && tried.stream().filter(email::equals).count() < 3)
                throw new IllegalStateException("full");
        }));
        done.assertDone(3).assertFailed("1");
        assertThat(tried.stream().filter("m1"::equals)).hasSize(3);
        assertThat(tried.stream().filter("m2"::equals)).hasSize(3);
        assertThatThrownBy(done::assertNoneFailed)
                .hasMessageContaining("rows of mailing have failed: [[1] ")
                .hasMessageContaining("no such mailbox (3 attempts)");
    }
}
