package dev.howdah.console.internal.api.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.spi.Metrics;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

@PostgresTest
class ChangeReaderTest {
    private final TestDatabase database;

    ChangeReaderTest(TestDatabase database) {
        this.database = database;
    }

    @Test
    void changes_areNamedOnce_andAfterAPauseThereWereMany() throws SQLException {
        try (Connection connection = database.connect()) {
            Jobs.install(connection);
        }
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl("jdbc:" + database.uri().replace("postgres@", "") + "?user=postgres");
        ChangeReader changes =
                new ChangeReader(new ConsoleData(source, "howdah", List::of, Metrics.none(), name -> false));
        database.execute("SELECT howdah.add('mail', 'k', 'null'::json)");
        assertThat(changes.read(true)).isEmpty();
        database.execute("SELECT howdah.add('mail', 'k', 'null'::json, delay => '1 h')");
        assertThat(changes.read(true))
                .containsExactly(new StateEvent(
                        "job", "{\"id\":\"2\",\"queue\":\"mail\",\"kind\":\"k\",\"state\":\"planned\"}"));
        assertThat(changes.read(true)).isEmpty();
        database.execute("SELECT howdah.cancel(2)");
        // The job failed within the last seconds, which two reads look at.
        assertThat(changes.read(true))
                .singleElement()
                .extracting(StateEvent::data)
                .asString()
                .contains("cancelled");
        assertThat(changes.read(true)).isEmpty();
        changes.pause();
        assertThat(changes.read(true)).containsExactly(new StateEvent("many", "{\"type\":\"job\"}"));
    }
}
