package dev.howdah.internal.conninfo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.Database;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;

/** Whoever listens hears of a notification when it is there, not a millisecond later. */
@PostgresTest
class PromptSocketsTest {
    private final TestDatabase database;

    PromptSocketsTest(TestDatabase database) {
        this.database = database;
    }

    @Test
    void getNotifications_oneIsThere_doesNotWaitForAnother() throws SQLException {
        Properties wanted = new Properties();
        wanted.setProperty(PromptSockets.WANTED, "true");
        try (Connection listening = Database.of(database.uri()).connect(wanted);
                Statement listen = listening.createStatement()) {
            listen.execute("LISTEN here");
            answersAtOnce(listening);
        }
    }

    @Test
    void listenSource_ofTheDrivers_doesNotWaitEither() throws SQLException {
        PGSimpleDataSource given = new PGSimpleDataSource();
        given.setUrl("jdbc:" + database.uri().replace("postgres@", "") + "?user=postgres&ApplicationName=mine");
        try (Connection listening = ListenSource.of(given).getConnection();
                Statement listen = listening.createStatement()) {
            listen.execute("LISTEN here");
            answersAtOnce(listening);
            try (ResultSet name = listen.executeQuery("SHOW application_name")) {
                name.next();
                assertThat(name.getString(1)).isEqualTo("mine");
            }
        }
        assertThat(given.getSocketFactory()).isNull();
        given.setSocketFactory("example.Factory");
        assertThat(ListenSource.of(given)).isSameAs(given);
    }

    private void answersAtOnce(Connection listening) throws SQLException {
        PGConnection session = listening.unwrap(PGConnection.class);
        long shortest = Long.MAX_VALUE;
        for (int i = 0; i < 50; i++) {
            database.execute("NOTIFY here, '" + i + "'");
            long begun = System.nanoTime();
            assertThat(session.getNotifications(10_000)).hasSize(1);
            shortest = Math.min(shortest, System.nanoTime() - begun);
        }
        assertThat(shortest).isLessThan(Duration.ofMillis(1).toNanos());
        // Silence is waited out all the same.
        long begun = System.nanoTime();
        assertThat(session.getNotifications(50)).isNullOrEmpty();
        assertThat(System.nanoTime() - begun)
                .isGreaterThan(Duration.ofMillis(40).toNanos());
    }

    @Test
    void getNotifications_manyMegabytesAreThere_handsThemOutInParts() throws SQLException {
        Properties wanted = new Properties();
        wanted.setProperty(PromptSockets.WANTED, "true");
        try (Connection listening = Database.of(database.uri()).connect(wanted);
                Statement listen = listening.createStatement()) {
            listen.execute("LISTEN flood");
            database.execute("DO $$ BEGIN FOR i IN 1..5000 LOOP"
                    + " PERFORM pg_notify('flood', rpad(i::text, 3000, ' ')); END LOOP; END $$");
            PGConnection session = listening.unwrap(PGConnection.class);
            int heard = 0;
            while (heard < 5000) {
                int part = session.getNotifications(30_000).length;
                assertThat(part).isBetween(1, 200); // 15 MB in all, but 600 kB at most at a time
                heard += part;
            }
        }
    }

    @Test // a result is no flood: read byte by byte it would take minutes
    void query_largeResult_isReadAtFullSpeed() throws SQLException {
        Properties wanted = new Properties();
        wanted.setProperty(PromptSockets.WANTED, "true");
        try (Connection listening = Database.of(database.uri()).connect(wanted);
                Statement statement = listening.createStatement()) {
            listening.setNetworkTimeout(Runnable::run, 30_000);
            statement.setQueryTimeout(30);
            try (ResultSet row = statement.executeQuery("SELECT repeat('x', 40000000)")) {
                row.next();
                assertThat(row.getString(1)).hasSize(40_000_000);
            }
        }
    }

    @Test
    void replaceIn_socketsOfAnotherFactory_areLeftAlone() {
        Properties properties = new Properties();
        properties.setProperty(PromptSockets.WANTED, "true");
        properties.setProperty("socketFactory", "example.Factory");
        PromptSockets.replaceIn(properties);
        assertThat(properties).hasSize(1).containsEntry("socketFactory", "example.Factory");
    }
}
