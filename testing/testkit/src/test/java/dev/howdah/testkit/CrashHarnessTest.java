package dev.howdah.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.query.JobState;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

@PostgresTest
class CrashHarnessTest {
    private static final Kind<String> CHARGE = Kind.of("charge", String.class);
    private static final String INVOICES = "SELECT count(*) FROM invoice";

    private final TestDatabase database;
    private final DataSource source;

    CrashHarnessTest(TestDatabase database) {
        PGSimpleDataSource direct = new PGSimpleDataSource();
        direct.setURL(
                "jdbc:postgresql://127.0.0.1:" + database.server().port() + "/" + database.name() + "?user=postgres");
        this.database = database;
        this.source = database.dataSource(direct);
    }

    @BeforeEach
    void makeTables() {
        database.execute("CREATE TABLE invoice (id bigint GENERATED ALWAYS AS IDENTITY, buyer text)");
    }

    private static void insert(Connection connection, String buyer) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("INSERT INTO invoice (buyer) VALUES (?)")) {
            statement.setString(1, buyer);
            statement.executeUpdate();
            if (!connection.getAutoCommit()) connection.commit();
        }
    }

    @Test
    void run_plainHandler_saysAtWhichCrashesItsRowComesTwice() {
        CrashReport report = CrashHarness.on(source)
                .program(run -> Jobs.on(run.dataSource()).handle(CHARGE, (buyer, job) -> {
                    run.record("card charged");
                    try (Connection connection = run.dataSource().getConnection()) {
                        insert(connection, buyer);
                    }
                }))
                .job(NewJob.of(CHARGE, "ann"))
                .effect("invoices", INVOICES)
                .run();
        report.assertDone().assertAtLeastOnce();
        assertThat(report.expected("invoices")).isEqualTo(1);
        assertThat(report.repeated("invoices")).isNotEmpty().allSatisfy(each -> {
            assertThat(each.times("invoices")).isEqualTo(2);
            assertThat(each.attempts()).isEqualTo(2);
        });
        // Whatever comes before the row was written is done again, and the card is charged twice then.
        assertThat(report.points().get(0).times("card charged")).isEqualTo(2);
        assertThat(report.points().get(0).times("invoices")).isEqualTo(1);
        // The outcome was written: nothing is done again.
        CrashPoint last = report.points().get(report.points().size() - 1);
        assertThat(last.executed()).isTrue();
        assertThat(last.attempts()).isEqualTo(1);
        assertThat(report.repeated("invoices")).doesNotContain(last);
        assertThatThrownBy(() -> report.assertExactlyOnce("invoices"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("invoices happened twice instead of once: crash after statement 1, INSERT INTO");
        assertThat(report.toString()).contains("invoices twice").contains("card charged twice");
    }

    @Tag("long")
    @Test
    void run_transactionalHandler_isExactlyOnce() {
        CrashReport report = CrashHarness.on(source)
                .program(run -> Jobs.on(run.dataSource()).handleInTransaction(CHARGE, (buyer, job, connection) -> {
                    insertIn(connection, buyer);
                    insertIn(connection, buyer + " again");
                }))
                .job(NewJob.of(CHARGE, "ann"))
                .effect("invoices", INVOICES)
                .run()
                .assertDone()
                .assertExactlyOnce();
        assertThat(report.expected("invoices")).isEqualTo(2);
        // The statement that ends the job commits, too: before it nothing has happened, after it all has.
        CrashPoint last = report.points().get(report.points().size() - 1);
        assertThat(last.statement()).endsWith("COMMIT").contains("howdah_internal.batch");
        assertThat(last.executed()).isTrue();
        assertThat(last.attempts()).isEqualTo(1);
        assertThat(report.points()).allSatisfy(each -> assertThat(each.state()).isEqualTo(JobState.DONE));
    }

    private static void insertIn(Connection connection, String buyer) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("INSERT INTO invoice (buyer) VALUES (?)")) {
            statement.setString(1, buyer);
            statement.executeUpdate();
        }
    }

    @Tag("long")
    @Test
    void run_transactionalHandlerInASchemaOfItsOwn_isExactlyOnce() {
        CrashHarness.on(source)
                .program(run -> Jobs.on(run.dataSource())
                        .schema("acme")
                        .handleInTransaction(CHARGE, (buyer, job, connection) -> insertIn(connection, buyer)))
                .job(NewJob.of(CHARGE, "ann").orderKey("ann"))
                .effect("invoices", INVOICES)
                .run()
                .assertDone()
                .assertExactlyOnce();
        assertThat(database.value("SELECT to_regnamespace('howdah') IS NULL")).isEqualTo("t");
    }

    @Tag("long")
    @Test
    void run_handlerWithSteps_doesTransactionalStepsOnce() {
        CrashReport report = CrashHarness.on(source)
                .program(run -> Jobs.on(run.dataSource()).handle(CHARGE, (buyer, job) -> {
                    job.stepInTransaction("invoice", String.class, connection -> {
                        insertIn(connection, buyer);
                        return "written";
                    });
                    job.step("mail", String.class, () -> {
                        run.record("mail");
                        return "sent";
                    });
                }))
                .job(NewJob.of(CHARGE, "ann"))
                .effect("invoices", INVOICES)
                .run()
                .assertDone()
                .assertExactlyOnce("invoices")
                .assertAtLeastOnce("mail");
        // Only where the step was done and not recorded yet.
        assertThat(report.repeated("mail"))
                .hasSizeLessThan(report.points().size() / 2)
                .isNotEmpty();
    }

    @Tag("long")
    @Test
    void run_handlerThatAddsAJob_addsItWithItsOwnTransaction() {
        Kind<String> mail = Kind.of("mail", String.class);
        CrashReport report = CrashHarness.on(source)
                .program(run -> {
                    return Jobs.on(run.dataSource())
                            .handleInTransaction(CHARGE, (buyer, job, connection) -> {
                                insertIn(connection, buyer);
                                try (var statement = connection.createStatement()) {
                                    statement.execute("SELECT howdah.add('default', 'mail', '\"ann\"')");
                                }
                            })
                            .handleInTransaction(mail, (buyer, job, connection) -> insertIn(connection, "mailed"));
                })
                .job(NewJob.of(CHARGE, "ann"))
                .effect("invoices", "SELECT count(*) FROM invoice WHERE buyer = 'ann'")
                .effect("mails", "SELECT count(*) FROM invoice WHERE buyer = 'mailed'")
                .run();
        report.assertDone().assertExactlyOnce();
    }

    @Test
    void run_programThatIsWrong_saysWhat() {
        CrashHarness harness = CrashHarness.on(source).job(NewJob.of(CHARGE, "ann"));
        assertThatThrownBy(harness::run).hasMessage("the harness needs a program");
        harness.program(run -> Jobs.on(run.dataSource()).handle(CHARGE, (buyer, job) -> {}))
                .effect("invoices", INVOICES);
        assertThatThrownBy(harness::run)
                .isInstanceOf(AssertionError.class)
                .hasMessage("the effect \"invoices\" does not happen without a crash");
    }
}
