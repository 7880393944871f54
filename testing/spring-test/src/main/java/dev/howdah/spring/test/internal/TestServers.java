package dev.howdah.spring.test.internal;

import dev.howdah.junit.internal.database.ClonedDatabase;
import dev.howdah.junit.internal.database.ServerOfTests;
import dev.howdah.junit.internal.database.TemplateDatabase;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The server with the databases of tests: one for all of a JVM, with which it ends. */
final class TestServers {
    private static @Nullable ServerOfTests server;
    private static @Nullable TemplateDatabase template;

    private TestServers() {}

    private static ServerOfTests server() {
        ServerOfTests started = server;
        if (started == null) server = started = ServerOfTests.start(System.getenv("HOWDAH_TEST_URL"));
        return started;
    }

    /** A new database with the tables of Howdah. */
    static synchronized ClonedDatabase newDatabase() {
        TemplateDatabase made = template;
        if (made == null) template = made = TemplateDatabase.make(server(), source -> {});
        return made.copy();
    }

    /** The data source of a new database without tables. */
    static synchronized DataSource newEmptyDatabase() {
        return TemplateDatabase.empty(server()).dataSource();
    }
}
