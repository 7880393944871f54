package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.connection.ConnectionSource;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** A frozen primary as the first host: the kernel takes the connection, and the server says nothing. */
@Tag("long")
@PostgresTest
class JobSilentHostTest {
    private final TestDatabase database;

    JobSilentHostTest(TestDatabase database) {
        this.database = database;
        JobsDatabase.in(database);
    }

    private PGSimpleDataSource behind(ServerSocket silent, String more) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl("jdbc:postgresql://127.0.0.1:" + silent.getLocalPort() + ",127.0.0.1:"
                + database.server().port() + "/" + database.name() + "?user=postgres&ApplicationName=jobs" + more);
        return source;
    }

    private static ServerSocket silent() throws IOException {
        return new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    @Test // whatever the URL forgot
    void connection_firstHostIsSilent_isOfTheSecond() throws IOException, SQLException {
        for (String more : new String[] {"&sslmode=disable", "", "&sslmode=disable&loginTimeout=3"})
            try (ServerSocket silent = silent();
                    Connection connection =
                            ConnectionSource.of(behind(silent, more)).getConnection()) {
                assertThat(connection.getMetaData().getURL()).contains("/" + database.name());
                // Statements have no such deadline.
                assertThat(connection.getNetworkTimeout()).isZero();
            }
    }

    @Test
    void node_firstHostIsSilent_worksAtTheSecond() throws IOException {
        Kind<String> work = Kind.of("work", String.class);
        JobsDatabase jobs = JobsDatabase.in(database);
        try (ServerSocket silent = silent();
                Jobs node = Jobs.on(behind(silent, "&sslmode=disable"))
                        .handle(work, (payload, job) -> {})
                        .start()) {
            long job = node.add(work, "x");
            JobsDatabase.awaiting("it is done").atMost(Patience.LIMIT).until(() -> jobs.letters(job), "d"::equals);
        }
    }
}
