package dev.howdah.job.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.job.Jobs;
import dev.howdah.job.internal.store.JobSession;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

@PostgresTest
@Tag("long")
class EarlySessionTest {
    private final TestDatabase database;
    private final PGSimpleDataSource source = new PGSimpleDataSource();

    EarlySessionTest(TestDatabase database) {
        this.database = database;
        source.setURL("jdbc:postgresql://127.0.0.1:" + database.server().port() + "/" + database.name()
                + "?user=postgres&ApplicationName=early");
    }

    @BeforeEach
    void install() throws SQLException {
        try (Connection connection = database.connect()) {
            Jobs.install(connection);
        }
    }

    private EarlySession open() {
        return EarlySession.of(ConnectionSource.of(source));
    }

    private void awaitSessions(int count) {
        await().atMost(Patience.LIMIT)
                .until(
                        () -> Integer.toString(count)
                                .equals(
                                        database.value(
                                                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'early'")));
    }

    @Test
    void session_isGivenOnce() throws Exception {
        EarlySession early = open();
        JobSession session = Objects.requireNonNull(early.take());
        assertThat(early.take()).isNull();
        early.close();
        awaitSessions(1);
        session.close();
        awaitSessions(0);
    }

    @Test
    void session_isNotTaken_ends() throws Exception {
        EarlySession early = open();
        early.close();
        assertThat(early.take()).isNull();
        awaitSessions(0);
    }

    @Test
    void source_givesNone_noneIsGiven() throws Exception {
        source.setDatabaseName("none");
        try (EarlySession early = open()) {
            assertThat(early.take()).isNull();
        }
    }

    @Test
    void tables_areMissing_noneIsGivenAndNoneIsLeft() throws Exception {
        database.execute("DROP SCHEMA howdah, howdah_internal CASCADE");
        try (EarlySession early = open()) {
            assertThat(early.take()).isNull();
        }
        awaitSessions(0);
    }
}
