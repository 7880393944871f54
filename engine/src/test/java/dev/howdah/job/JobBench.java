package dev.howdah.job;

import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.TestDatabase;
import java.time.Duration;
import java.util.Objects;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** What tests of jobs ask of a database, over and over. */
final class JobBench {
    static final Duration PATIENCE = Duration.ofSeconds(20);

    private JobBench() {}

    static DataSource source(TestDatabase database) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl("jdbc:" + database.uri().replaceFirst("postgres@", "") + "?user=postgres");
        return source;
    }

    /** Makes the tables. */
    static void prepare(TestDatabase database) {
        Jobs.on(source(database)).start().close();
    }

    static String value(TestDatabase database, String sql) {
        return Objects.requireNonNullElse(database.value(sql), "NULL");
    }

    /** Waits until the query answers so. */
    static void awaitValue(TestDatabase database, String sql, String answer) {
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(5))
                .untilAsserted(() -> org.assertj.core.api.Assertions.assertThat(value(database, sql))
                        .as(sql)
                        .isEqualTo(answer));
    }
}
