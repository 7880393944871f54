package dev.howdah.junit.internal.database;

import dev.howdah.job.Jobs;
import dev.howdah.process.Processes;
import dev.howdah.sweep.Sweep;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** A database of which those of tests are copies. Safe for use by many threads. */
public final class TemplateDatabase implements AutoCloseable {
    /** What the user puts into it. */
    public interface Content {
        void put(DataSource source) throws SQLException;
    }

    private final ServerOfTests server;
    private final String name;

    private TemplateDatabase(ServerOfTests server, String name) {
        this.server = server;
        this.name = name;
    }

    /** Makes one, with the tables of Howdah and then that content. */
    public static TemplateDatabase make(ServerOfTests server, Content content) {
        return make(server, content, true);
    }

    /**
     * Makes one, with the tables of Howdah and that content.
     *
     * @param tablesFirst false: the content may make the tables; what it does not make comes after it
     */
    public static TemplateDatabase make(ServerOfTests server, Content content, boolean tablesFirst) {
        TemplateDatabase template = new TemplateDatabase(server, server.newName());
        server.run("CREATE DATABASE " + template.name);
        DataSource source = new ClonedDatabase(server, template.name).dataSource();
        if (tablesFirst) install(source);
        try {
            content.put(source);
        } catch (SQLException e) {
            throw new IllegalStateException("the database of the tests could not be prepared: " + e.getMessage(), e);
        }
        if (!tablesFirst) install(source);
        return template;
    }

    private static void install(DataSource source) {
        try (Connection connection = source.getConnection()) {
            Jobs.install(connection);
            Processes.install(connection);
            Sweep.install(connection);
        } catch (SQLException e) {
            throw new IllegalStateException("the tables of Howdah could not be made: " + e.getMessage(), e);
        }
    }

    /** A database without tables, for a test whose program makes them. */
    public static ClonedDatabase empty(ServerOfTests server) {
        ClonedDatabase made = new ClonedDatabase(server, server.newName());
        server.run("CREATE DATABASE " + made.name());
        return made;
    }

    /** A copy for a test. */
    public ClonedDatabase copy() {
        ClonedDatabase copy = new ClonedDatabase(server, server.newName());
        server.run("CREATE DATABASE " + copy.name() + " TEMPLATE " + name);
        return copy;
    }

    @Override
    public void close() {
        server.run("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)");
    }
}
