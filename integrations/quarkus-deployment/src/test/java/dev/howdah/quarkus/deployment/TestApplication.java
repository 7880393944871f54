package dev.howdah.quarkus.deployment;

import dev.howdah.fixtures.TestDatabase;
import io.quarkus.test.QuarkusUnitTest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Applications of tests, each on a database of its own. */
final class TestApplication {
    private TestApplication() {}

    /** One of these classes and of those in them. */
    static QuarkusUnitTest with(Class<?>... classes) {
        TestDatabase database = TestDatabase.create();
        return new QuarkusUnitTest()
                .withApplicationRoot(jar -> Stream.of(classes).forEach(jar::addClass))
                .withApplicationRoot(jar -> jar.addClass(TestApplication.class))
                .overrideConfigKey("quarkus.datasource.db-kind", "postgresql")
                .overrideConfigKey("quarkus.datasource.username", "postgres")
                .overrideConfigKey("quarkus.datasource.devservices.enabled", "false")
                .overrideRuntimeConfigKey("quarkus.howdah.jobs.concurrency", "2")
                .overrideRuntimeConfigKey("quarkus.datasource.jdbc.url", url(database))
                .setAfterAllCustomizer(database::close);
    }

    /** As {@link #with}, with a second data source of that name. */
    static QuarkusUnitTest withSecondDataSource(String name, Class<?>... classes) {
        TestDatabase second = TestDatabase.create();
        String prefix = "quarkus.datasource.\"" + name + "\".";
        return with(classes)
                .overrideConfigKey(prefix + "db-kind", "postgresql")
                .overrideConfigKey(prefix + "username", "postgres")
                .overrideConfigKey(prefix + "devservices.enabled", "false")
                .overrideRuntimeConfigKey(prefix + "jdbc.url", url(second));
    }

    private static String url(TestDatabase database) {
        return database.uri().replace("postgresql://postgres@", "jdbc:postgresql://");
    }

    /** The value of a statement. */
    static @Nullable String value(DataSource source, String sql) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? row.getString(1) : null;
        }
    }
}
