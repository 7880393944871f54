package dev.howdah.console.internal.api.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.howdah.console.internal.access.AccessSettings;
import dev.howdah.console.internal.access.TrustedProxies;
import dev.howdah.console.internal.api.ApiMask;
import dev.howdah.console.internal.api.operation.ItemJson;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.mask.Masker;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.operations.Role;
import dev.howdah.operations.read.Installed;
import dev.howdah.spi.Metrics;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

@PostgresTest
class ChangeReaderTest {
    private static final Installed ALL = new Installed(true, false, false);

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
        ChangeReader changes = new ChangeReader(
                new ConsoleData(source, "howdah", List::of, Metrics.none(), name -> false),
                new ItemJson(
                        new ApiMask(new AccessSettings(
                                "127.0.0.1",
                                Set.of(),
                                Set.of(),
                                "",
                                new TrustedProxies(List.of()),
                                true,
                                Masker.standard(),
                                Set.of(),
                                1,
                                Set.of(),
                                Set.of())),
                        Role.VIEWER));
        database.execute("SELECT howdah.add('mail', 'k', 'null'::json)");
        assertThat(changes.read(ALL)).isEmpty();
        database.execute("SELECT howdah.add('mail', 'k', 'null'::json, delay => '1 h')");
        assertThat(told(changes))
                .extracting(StateEvent::data)
                .containsExactly(
                        "{\"id\":\"2\",\"queue\":\"mail\",\"kind\":\"k\",\"state\":\"planned\",\"attempt\":0,\"tags\":[]}");
        assertThat(told(changes)).isEmpty();
        database.execute("SELECT howdah.cancel(2)");
        // The job failed within the last seconds, which two reads look at.
        assertThat(told(changes))
                .singleElement()
                .extracting(StateEvent::data)
                .asString()
                .contains("cancelled");
        assertThat(told(changes)).isEmpty();
        changes.pause();
        assertThat(changes.read(ALL))
                .extracting(StateEvent::type, StateEvent::data)
                .containsExactly(tuple("many", "{\"type\":\"job\"}"));
    }

    /**
     * Without job 1, which was there at the first look: while a transaction of any database of the server is older than a job, it may be named
     * once more.
     */
    private static List<StateEvent> told(ChangeReader changes) throws SQLException {
        return changes.read(ALL).stream()
                .filter(each -> !each.data().contains("\"id\":\"1\""))
                .toList();
    }
}
