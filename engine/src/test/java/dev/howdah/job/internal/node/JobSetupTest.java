package dev.howdah.job.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.howdah.internal.connection.ConnectionSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** What is said of pools that are small for the handlers of a node. */
class JobSetupTest {
    private final ConnectionSource direct = ConnectionSource.of(new PGSimpleDataSource());
    private final ConnectionSource pool = ConnectionSource.of(pool());

    /** Of ten connections, of which none is opened. */
    private static HikariDataSource pool() {
        HikariDataSource pool = new HikariDataSource();
        pool.setMaximumPoolSize(10);
        return pool;
    }

    private @Nullable String warning(ConnectionSource sessions, boolean transactional, int concurrency) {
        return new JobSetup(pool, sessions, true, transactional, concurrency).warning();
    }

    @Test
    void transactionalHandlers_thatMayTakeAllConnections_areWarnedOf() {
        assertThat(warning(direct, true, 10)).contains("up to 10 transactional handlers", "all of the 10 connections");
        assertThat(warning(pool, true, 6)).contains("all of the 6 connections");
        assertThat(warning(direct, true, 9)).isNull();
        assertThat(warning(pool, true, 5)).isNull();
        assertThat(warning(pool, false, 100)).isNull();
        assertThat(new JobSetup(direct, direct, true, true, 100).warning())
                .as("without a pool")
                .isNull();
    }
}
