package dev.howdah.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TcpProxy;
import dev.howdah.fixtures.TestDatabase;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Reports of progress whose answers are lost. */
@PostgresTest
class SweepReportTest {
    private static final Duration PATIENCE = Patience.LIMIT;
    private static final int ROWS = 60;
    /** In which the network stops to bring answers, after the batches before it were marked. */
    private static final int LAST = 30;

    private final TestDatabase database;

    SweepReportTest(TestDatabase database) {
        this.database = database;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void report_whoseAnswerIsLost_isNotCountedTwice(boolean takenForDead) throws Exception {
        database.execute("CREATE TABLE item (id integer PRIMARY KEY, times integer NOT NULL DEFAULT 0);"
                + " INSERT INTO item (id) SELECT generate_series(1, " + ROWS + "); ANALYZE item");
        CountDownLatch mayGoOn = new CountDownLatch(1);
        CountDownLatch silent = new CountDownLatch(1);
        AtomicInteger worked = new AtomicInteger();
        try (TcpProxy proxy = TcpProxy.to("127.0.0.1", database.server().port())) {
            PGSimpleDataSource source = new PGSimpleDataSource();
            source.setUrl("jdbc:postgresql://127.0.0.1:" + proxy.port() + "/" + database.name() + "?user=postgres");
            try (Sweep sweep = Sweep.on(source)
                    .name("items")
                    .table("item")
                    .where("times = 0")
                    .key("id")
                    .mark("times = times + 1")
                    .workers(1)
                    .batch(5)
                    .forEachRow(row -> {
                        if (worked.incrementAndGet() == LAST) {
                            proxy.freezeAnswers();
                            silent.countDown();
                            mayGoOn.await();
                        }
                    })
                    .start()) {
                silent.await();
                String marked = String.valueOf(database.value("SELECT count(*) FROM item WHERE times = 1"));
                Awaitility.await("a report reaches the server")
                        .atMost(PATIENCE)
                        .until(() -> marked.equals(database.value("SELECT done FROM howdah.sweep")));
                if (takenForDead) database.execute("DELETE FROM howdah_internal.sweep_process");
                proxy.cut();
                proxy.thaw();
                mayGoOn.countDown();
                assertThat(sweep.join(PATIENCE)).isTrue();
                assertThat(sweep.join().done()).isEqualTo(ROWS);
            } finally {
                mayGoOn.countDown();
            }
        }
        assertThat(database.value("SELECT string_agg(DISTINCT times::text, ' ') FROM item"))
                .isEqualTo("1");
        assertThat(database.value("SELECT done FROM howdah.sweep")).isEqualTo(String.valueOf(ROWS));
    }
}
