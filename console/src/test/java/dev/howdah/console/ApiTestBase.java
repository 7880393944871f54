package dev.howdah.console;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A console over a database with jobs, and a client of its API. */
@PostgresTest
abstract class ApiTestBase {
    final TestDatabase database;
    Console console;
    ApiClient api;

    ApiTestBase(TestDatabase database) {
        this.database = database;
    }

    /** Creates the tables. */
    void install() throws SQLException {
        ConsoleFixtures.jobs(database);
    }

    ConsoleBuilder console() {
        return Console.on(ConsoleFixtures.source(database)).port(0);
    }

    ApiClient client() {
        return new ApiClient(console.address());
    }

    @BeforeEach
    void start() throws SQLException {
        install();
        console = console().start();
        api = client();
    }

    @AfterEach
    void stop() {
        console.close();
    }
}
