package dev.howdah.junit.internal.database;

import dev.howdah.Database;
import java.util.List;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** The database of a test. Safe for use by many threads. */
public final class ClonedDatabase implements AutoCloseable {
    private final ServerOfTests server;
    private final String name;
    private final Database address;
    private final DataSource source;

    ClonedDatabase(ServerOfTests server, String name) {
        this.server = server;
        this.name = name;
        this.address = server.address(name);
        this.source = source(address);
    }

    private static DataSource source(Database address) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        List<Database.HostPort> hosts = address.hosts();
        source.setServerNames(hosts.stream().map(Database.HostPort::host).toArray(String[]::new));
        source.setPortNumbers(hosts.stream().mapToInt(Database.HostPort::port).toArray());
        source.setDatabaseName(address.database());
        source.setUser(address.user());
        String password = address.password(hosts.get(0));
        if (password != null) source.setPassword(password);
        source.setSslMode(address.sslMode());
        return source;
    }

    String name() {
        return name;
    }

    /** Its address. */
    public Database address() {
        return address;
    }

    /** Its connections, which no pool keeps. */
    public DataSource dataSource() {
        return source;
    }

    /** Drops it, and ends all sessions in it. */
    @Override
    public void close() {
        server.run("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)");
    }
}
