package dev.howdah.junit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.Database;
import dev.howdah.job.Jobs;
import dev.howdah.job.JobsBuilder;
import dev.howdah.job.Kind;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.Processes;
import dev.howdah.process.ProcessesBuilder;
import dev.howdah.testkit.TestJobs;
import dev.howdah.testkit.TestProcesses;
import dev.howdah.testkit.TestTasks;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

@HowdahTest(prepare = HowdahTestTest.ShopTables.class)
class HowdahTestTest implements WithJobs, WithProcesses {
    private static final Kind<String> WELCOME = Kind.of("welcome", String.class);
    private static final AtomicInteger PREPARED = new AtomicInteger();
    private static final Set<String> DATABASES = ConcurrentHashMap.newKeySet();

    private final List<String> welcomed = new ArrayList<>();
    private final DataSource database;

    /** The tables of the user. */
    static final class ShopTables implements HowdahTest.Preparation {
        @Override
        public void prepare(DataSource template) throws SQLException {
            PREPARED.incrementAndGet();
            try (Connection connection = template.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("CREATE TABLE customer (email text); INSERT INTO customer VALUES ('ann')");
            }
        }
    }

    HowdahTestTest(DataSource database) {
        this.database = database;
    }

    @Override
    public JobsBuilder jobs(DataSource source) {
        return Jobs.on(source).handle(WELCOME, (email, job) -> {
            welcomed.add(email);
        });
    }

    @Override
    public ProcessesBuilder processes(DataSource source) {
        return Processes.on(source)
                .namespace(
                        Namespace.of("counter", (task, process) -> Intent.none().response("counted")));
    }

    private static String value(DataSource source, String sql) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    @BeforeEach
    void addCustomer(DataSource same) throws SQLException {
        assertThat(same).isSameAs(database);
        try (Connection connection = same.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO customer VALUES ('bob')");
        }
    }

    @RepeatedTest(4)
    void database_ofEachTest_isItsOwn(DataSource same) throws SQLException {
        assertThat(value(same, "SELECT count(*) FROM customer")).isEqualTo("2");
        assertThat(DATABASES.add(value(same, "SELECT current_database()"))).isTrue();
        assertThat(value(
                        same,
                        "SELECT to_regclass('howdah_internal.job') IS NOT NULL AND to_regclass('howdah_internal.process') IS NOT"
                                + " NULL AND to_regclass('howdah.sweep') IS NOT NULL"))
                .isEqualTo("t");
        assertThat(PREPARED).hasValue(1);
    }

    @Test
    void parameters_ofATest_areOfItsDatabase(
            Jobs adding, TestJobs jobs, TestProcesses processes, TestTasks tasks, Database address)
            throws SQLException {
        adding.add(WELCOME, "ann");
        jobs.assertAdded(WELCOME, "ann");
        assertThat(jobs.runDue()).isEqualTo(1);
        assertThat(welcomed).containsExactly("ann");
        assertThat(processes.processes().init("counter", "a", null).as(String.class))
                .isEqualTo("counted");
        long task = tasks.add("SELECT current_database()");
        tasks.runDue();
        tasks.assertOutput(task, value(database, "SELECT current_database()"));
        try (Connection connection = address.connect()) {
            assertThat(connection.getCatalog()).isEqualTo(value(database, "SELECT current_database()"));
        }
    }
}
