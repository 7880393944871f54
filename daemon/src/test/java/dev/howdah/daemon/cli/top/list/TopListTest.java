package dev.howdah.daemon.cli.top.list;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.Database;
import dev.howdah.daemon.database.SessionSource;
import dev.howdah.daemon.work.PlainJsonCodec;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.operations.Engine;
import dev.howdah.operations.SourceEngine;
import dev.howdah.operations.store.AccessTokens;
import dev.howdah.spi.PayloadCodec;
import dev.howdah.sweep.Sweep;
import dev.howdah.task.TaskTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Lists of {@code howdah top} are declared lists: with their filters, columns and operations. */
@PostgresTest
class TopListTest {
    private final TestDatabase database;

    TopListTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeEach
    void install() throws SQLException {
        try (Connection connection = database.connect()) {
            Jobs.install(connection);
            Sweep.install(connection);
        }
    }

    private Engine engine() {
        return new SourceEngine() {
            @Override
            public DataSource source() {
                return new SessionSource(Database.of(database.uri()));
            }

            @Override
            public String schema() {
                return "howdah";
            }

            @Override
            public PayloadCodec codec() {
                return new PlainJsonCodec();
            }

            @Override
            public TaskTable tasks(@Nullable String table) {
                return TaskTable.on(source(), "public", "task");
            }

            @Override
            public AccessTokens tokens() {
                return storedTokens();
            }
        };
    }

    @Test
    void jobs_areFilteredShownAndChanged() {
        database.execute("SELECT howdah.add('mail', 'send', '{\"to\": \"ann\"}'), howdah.add('post', 'send', '2')");
        TopJobs jobs = new TopJobs(engine());
        assertThat(jobs.states())
                .startsWith("running")
                .contains("waiting", "failed")
                .doesNotContain("all");
        TopPage page = jobs.read("waiting", "queue:mail", 10, Instant.now());
        assertThat(page.summary()).isEqualTo("0 running, 2 due, 0 failed");
        assertThat(page.columns())
                .extracting(TopColumn::name)
                .startsWith("ID", "STATE")
                .endsWith("ERROR OR PAYLOAD");
        TopRow row = page.rows().get(0);
        assertThat(page.rows()).hasSize(1);
        assertThat(row.cells()).contains("waiting", "mail", "send", "{\"to\": \"ann\"}");
        assertThat(jobs.details(row, Instant.now())).contains("queue       mail", "payload", "  {\"to\": \"ann\"}");
        TopAction cancel = jobs.action(TopVerb.CANCEL, row);
        assertThat(cancel.question()).startsWith("Cancel job " + row.id() + "?");
        assertThat(cancel.run().get()).isEqualTo("Job " + row.id() + " is cancelled.");
        assertThat(jobs.action(TopVerb.PAUSE, row).run().get()).isEqualTo("Queue mail is paused.");
        assertThat(jobs.action(TopVerb.PAUSE, row).run().get()).isEqualTo("Queue mail goes on.");
        TopRow cancelled = jobs.read("cancelled", "", 10, Instant.now()).rows().get(0);
        assertThat(jobs.action(TopVerb.RETRY, cancelled).run().get()).endsWith("waits to run again.");
        assertThat(jobs.read("running", "node:x", 10, Instant.now()).empty()).startsWith("The filter is wrong: ");
        assertThat(jobs.read("failed", "", 10, Instant.now()).empty()).isEqualTo("There are no jobs in state failed.");
        assertThat(jobs.details(new TopRow("", "99", TopTone.DONE, List.of()), Instant.now()))
                .containsExactly("This one is not there any more: 99.");
    }

    @Test
    void queuesAndSweeps_areFoundByAPartOfTheirNames() {
        database.execute("SELECT howdah.add('mail', 'send', '1'), howdah.add('post', 'send', '2')");
        TopQueues queues = new TopQueues(engine());
        assertThat(queues.states()).isEmpty();
        assertThat(queues.read("", "os", 10, Instant.now()).rows())
                .extracting(TopRow::id)
                .containsExactly("post");
        TopRow post = queues.read("", "os", 10, Instant.now()).rows().get(0);
        assertThat(post.cells()).startsWith("post", "1").endsWith("on");
        assertThat(queues.details(post, Instant.now())).contains("name        post", "due         1");
        TopSweeps sweeps = new TopSweeps(engine());
        assertThat(sweeps.states()).startsWith("all", "running");
        assertThat(sweeps.read("paused", "x", 10, Instant.now()))
                .isEqualTo(new TopPage(
                        "0 sweeps, 0 running",
                        sweeps.read("all", "", 10, Instant.now()).columns(),
                        List.of(),
                        "There are no sweeps in state paused that match."));
    }
}
