package dev.howdah.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.ChildJvm;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** The tutorial, done by hand: each order is charged and confirmed once, although the program is killed in the middle. */
@PostgresTest
@Tag("long")
class ShopTest {
    private static final int ORDERS = 24;

    private final TestDatabase database;

    ShopTest(TestDatabase database) {
        this.database = database;
    }

    private String url() {
        return "jdbc:postgresql://127.0.0.1:" + database.server().port() + "/" + database.name() + "?user=postgres";
    }

    private int count(String what) {
        return Integer.parseInt(String.valueOf(database.value("SELECT count(*) FROM " + what)));
    }

    private ChildJvm program() {
        return ChildJvm.start(Shop.class, List.of("-XX:TieredStopAtLevel=1"), url(), "work");
    }

    private void await(String what, int least) {
        Awaitility.await(what)
                .atMost(Patience.LIMIT)
                .pollInterval(Duration.ofMillis(10))
                .until(() -> count(what) >= least);
    }

    @Test
    void orders_areChargedAndConfirmedOnce_whenTheirProgramIsKilled() throws Exception {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(url());
        new Shop(source).order(ORDERS);
        assertThat(count("howdah.jobs")).isEqualTo(ORDERS);
        try (ChildJvm first = program()) {
            await("shop_mail", 4);
            await("shop_order WHERE charged = 1 AND number NOT IN (SELECT number FROM shop_mail)", 1);
            first.kill();
        }
        try (ChildJvm second = program()) {
            assertThat(second).isNotNull();
            await("shop_mail", ORDERS);
            await("howdah.jobs WHERE state = 'done'", ORDERS);
        }
        assertThat(count("shop_order WHERE charged = 1")).isEqualTo(ORDERS);
        assertThat(database.value("SELECT count(DISTINCT number) || ' of ' || count(*) FROM shop_mail"))
                .isEqualTo(ORDERS + " of " + ORDERS);
    }
}
