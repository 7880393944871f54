package dev.howdah.job;

import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.TestDatabase;
import java.time.Duration;
import java.util.Objects;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** What tests of jobs need of a database. */
final class Sources {
    private Sources() {}

    static DataSource of(TestDatabase database) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setURL(
                "jdbc:postgresql://127.0.0.1:" + database.server().port() + "/" + database.name() + "?user=postgres");
        return database.dataSource(source);
    }

    /** Waits until a query says true. */
    static void awaitTrue(TestDatabase database, String sql) {
        await(sql)
                .pollInterval(Duration.ofMillis(10))
                .atMost(Patience.LIMIT)
                .until(() -> Objects.equals(database.value(sql), "t"));
    }
}
