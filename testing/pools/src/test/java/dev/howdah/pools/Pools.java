package dev.howdah.pools;

import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.TestDatabase;
import java.time.Duration;
import java.util.Objects;
import org.postgresql.ds.PGSimpleDataSource;

/** Data sources of a test's database, and how to wait for what stands in it. */
final class Pools {
    /** How long something may take that normally takes milliseconds. */
    static final Duration PATIENCE = Patience.LIMIT;

    private Pools() {}

    static String url(TestDatabase database) {
        return "jdbc:postgresql://127.0.0.1:" + database.server().port() + "/" + database.name();
    }

    /** No pool: each connection is a new session. */
    static PGSimpleDataSource direct(TestDatabase database) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(url(database));
        source.setUser("postgres");
        return source;
    }

    /** As an application configures it: by a URL. */
    static HikariConfig config(TestDatabase database, int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url(database));
        config.setUsername("postgres");
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(0);
        return config;
    }

    /** A pool whose connections come with autocommit off. */
    static HikariDataSource manualCommit(TestDatabase database, int size) {
        HikariConfig config = config(database, size);
        config.setAutoCommit(false);
        return new HikariDataSource(config);
    }

    static void awaitValue(TestDatabase database, String query, String value) {
        await(query + " answers " + value)
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> Objects.equals(database.value(query), value));
    }
}
