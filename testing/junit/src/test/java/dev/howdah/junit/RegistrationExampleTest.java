package dev.howdah.junit;

import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.testkit.TestJobs;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** The example of the guide. */
@HowdahTest(prepare = RegistrationExampleTest.ShopTables.class)
class RegistrationExampleTest {
    static final class ShopTables implements HowdahTest.Preparation {
        @Override
        public void prepare(DataSource template) throws SQLException {
            try (Connection connection = template.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("CREATE TABLE customer (email text)"); // or your migrations
            }
        }
    }

    @Test
    void register_newCustomer_isWelcomed(DataSource database, TestJobs jobs) throws SQLException {
        new Registration(database, jobs.jobs()).register("ann@example.com");
        jobs.assertAdded("welcome", "ann@example.com");
    }

    /** The code under test. */
    private record Registration(DataSource database, Jobs jobs) {
        private static final Kind<String> WELCOME = Kind.of("welcome", String.class);

        void register(String email) throws SQLException {
            try (Connection connection = database.getConnection();
                    PreparedStatement statement = connection.prepareStatement("INSERT INTO customer VALUES (?)")) {
                connection.setAutoCommit(false);
                statement.setString(1, email);
                statement.executeUpdate();
                jobs.add(connection, WELCOME, email);
                connection.commit();
            }
        }
    }
}
