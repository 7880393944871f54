package dev.howdah.junit.internal.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.sql.Connection;
import org.junit.jupiter.api.Test;

/** A server of the user's. */
@PostgresTest
class ServerOfTestsTest {
    private final TestDatabase users;

    ServerOfTestsTest(TestDatabase users) {
        this.users = users;
    }

    @Test
    void start_withAddress_makesAndDropsDatabasesThere() throws Exception {
        ServerOfTests server = ServerOfTests.start(users.uri());
        String before = users.value("SELECT count(*) FROM pg_database WHERE datname LIKE 'howdah_test_%'");
        TemplateDatabase template = TemplateDatabase.make(server, source -> {
            try (Connection connection = source.getConnection()) {
                connection.createStatement().execute("CREATE TABLE customer (email text)");
            }
        });
        try (ClonedDatabase one = template.copy();
                Connection connection = one.dataSource().getConnection()) {
            connection.createStatement().execute("INSERT INTO customer VALUES ('ann')");
            assertThat(users.value("SELECT count(*) FROM pg_database WHERE datname = '" + one.name() + "'"))
                    .isEqualTo("1");
        }
        template.close();
        server.close();
        assertThat(users.value("SELECT count(*) FROM pg_database WHERE datname LIKE 'howdah_test_%'"))
                .isEqualTo(before);
        assertThat(users.value("SELECT 1")).isEqualTo("1");
    }

    @Test
    void start_roleThatMayNotCreateDatabases_saysSo() {
        users.execute("CREATE ROLE poor_tester LOGIN");
        try {
            ServerOfTests server = ServerOfTests.start(users.uri().replace("postgres@", "poor_tester@"));
            assertThatThrownBy(() -> TemplateDatabase.make(server, source -> {}))
                    .hasMessageContaining("no database could be made or dropped for a test, at ")
                    .hasMessageContaining("permission denied to create database")
                    .hasMessageContaining("howdah.test.url");
        } finally {
            users.execute("DROP ROLE poor_tester");
        }
    }
}
