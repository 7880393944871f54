package dev.howdah.junit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.job.Jobs;
import dev.howdah.job.JobsBuilder;
import dev.howdah.job.Kind;
import dev.howdah.testkit.TestJobs;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** Tests of a program whose migrations hold the SQL of Howdah's tables of jobs. */
@HowdahTest(prepare = MigratedTablesTest.Migrations.class, tablesFirst = false)
class MigratedTablesTest implements WithJobs {
    private static final Kind<String> MAIL = Kind.of("mail", String.class);

    static final class Migrations implements HowdahTest.Preparation {
        @Override
        public void prepare(DataSource template) throws SQLException {
            try (Connection connection = template.getConnection();
                    Statement statement = connection.createStatement()) {
                // Fails where the tables are there already.
                statement.execute(Jobs.schema(0, Jobs.schemaVersion()));
            }
        }
    }

    @Override
    public JobsBuilder jobs(DataSource source) {
        return Jobs.on(source).handle(MAIL, (text, job) -> {});
    }

    @Test
    void tablesOfTheMigrations_areUsed_andTheOthersMade(DataSource database, TestJobs jobs) throws SQLException {
        jobs.jobs().add(MAIL, "hello");
        assertThat(jobs.runDue()).isEqualTo(1);
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT to_regclass('howdah_internal.process') IS NOT NULL")) {
            row.next();
            assertThat(row.getBoolean(1)).isTrue();
        }
    }
}
