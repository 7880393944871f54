package dev.howdah.testkit.bridge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.process.Processes;
import dev.howdah.testkit.bridge.BridgeTable.Outcome;
import dev.howdah.testkit.bridge.BridgeTable.Row;
import dev.howdah.testkit.internal.bridge.BesideCalls;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** The table passes a bridge that is right, and says what is wrong with others. */
@PostgresTest
class BridgeTableTest {
    private final DataSource source;

    BridgeTableTest(TestDatabase database) {
        PGSimpleDataSource made = new PGSimpleDataSource();
        made.setURL(database.uri().replace("postgresql://postgres@", "jdbc:postgresql://"));
        made.setUser("postgres");
        this.source = made;
    }

    private static void undone(ThreadTransactions in, Runnable work) throws Exception {
        try {
            in.begin(connection -> {
                work.run();
                throw new InterruptedException("undone");
            });
        } catch (InterruptedException e) {
            // As intended.
        }
    }

    private BridgeTable table(ThreadTransactions bridge) {
        return BridgeTable.of(source, 3, source, bridge)
                .situation("no transaction", Outcome.STAYS, Runnable::run)
                .situation(
                        "committed",
                        Outcome.STAYS,
                        work -> bridge.begin(connection -> {
                            work.run();
                            return true;
                        }))
                .situation("rolled back", Outcome.GOES, work -> undone(bridge, work))
                .situation("suspended", Outcome.STAYS, work -> undone(bridge, () -> bridge.suspended(work)))
                .situation(
                        "read only",
                        Outcome.REFUSED,
                        work -> bridge.begin(true, connection -> {
                            work.run();
                            return true;
                        }));
    }

    /** What each row that fails says, by its name. */
    private static Optional<String> fault(Row row) {
        try {
            row.check();
            return Optional.empty();
        } catch (Exception e) {
            return Optional.of(String.valueOf(e));
        } catch (AssertionError e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    @Test
    @Tag("long")
    void bridge_thatIsRight_passes() throws Exception {
        try (BridgeTable table = table(new ThreadTransactions(source))) {
            assertThat(table.rows()).hasSize(6);
            for (Row each : table.rows())
                assertThat(fault(each)).as(each.name()).isEmpty();
        }
    }

    @Test
    void calls_areThoseOfTheWholeApi() {
        try (Jobs jobs = Jobs.on(source).start();
                Processes processes = Processes.on(source).start()) {
            assertThat(new BesideCalls(source, jobs, processes).names())
                    .hasSizeGreaterThan(150)
                    .contains(
                            "JobAdmin.cancel(long)",
                            "Jobs.schedule(Schedule, NewJob)",
                            "Jobs.await(long, Duration)",
                            "Processes.call(Request)",
                            "Sweeps.list()",
                            "TaskTable.add(NewTask)");
        }
    }

    @Test
    @Tag("long")
    void bridge_thatCommitsWhatWasThrown_isFound() {
        ThreadTransactions wrong = new ThreadTransactions(source) {
            @Override
            void undo(Connection connection) throws SQLException {
                connection.commit();
            }
        };
        try (BridgeTable table = table(wrong)) {
            assertThat(fault(table.rows().get(0)))
                    .hasValueSatisfying(
                            said -> assertThat(said).contains("what throws is rolled back: 1 jobs instead of 0"));
            assertThat(fault(row(table, "rolled back")))
                    .hasValueSatisfying(said -> assertThat(said)
                            .contains("Jobs.add(kind, payload): it is there", "Processes.init(request): it is there"));
        }
    }

    @Test
    void bridge_thatHasATransactionWhereThereIsNone_isFound() {
        ThreadTransactions wrong = new ThreadTransactions(source) {
            @Override
            public boolean isActive() {
                return true;
            }
        };
        assertThatThrownBy(() -> table(wrong).close()).hasMessageContaining("no transaction");
    }

    private static Row row(BridgeTable table, String name) {
        List<Row> found = table.rows().stream()
                .filter(each -> each.name().startsWith(name))
                .toList();
        return found.get(0);
    }
}
