package dev.howdah.benchmarks;

import dev.howdah.Database;
import dev.howdah.job.Kind;
import java.util.List;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** The scenarios of the door of jobs that a harness of one process for each role does not ask. */
final class JobScenarios {
    static final List<Scenario> ALL = List.of(
            new Callers(),
            new Nodes(),
            new ClientProcesses(),
            new NodeCosts(),
            new Shapes(),
            new LogQueueDrain(),
            new LogQueueLarge(),
            new LogQueueLate(),
            new Keys(),
            new Tags(),
            new Queues(),
            new Payloads(),
            new Transactions(),
            new Workflows(),
            new Tenants(),
            new GroupDrain(),
            new Rates(),
            new Redrive(),
            new Steps(),
            new Waits());

    static final Kind<Long> WORK = Kind.of("work", Long.class);

    private JobScenarios() {}

    /** As a user of the library has it. */
    static DataSource source(Database database) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        Database.HostPort server = database.hosts().get(0);
        source.setServerNames(new String[] {server.host()});
        source.setPortNumbers(new int[] {server.port()});
        source.setDatabaseName(database.database());
        source.setUser(database.user());
        source.setPassword(database.password(server));
        return source;
    }
}
