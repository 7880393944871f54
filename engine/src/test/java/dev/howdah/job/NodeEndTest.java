package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import org.junit.jupiter.api.Test;

/** What is kept of nodes that have ended, and why they did. */
@PostgresTest
class NodeEndTest {
    private static final Kind<Integer> WORK = Kind.of("work", Integer.class);

    @Test
    void nodesThatHaveEnded_areWrittenDownWithTheirReason(TestDatabase database) {
        JobsDatabase jobs = JobsDatabase.in(database);
        JobsBuilder green = jobs.jobs().nodeName("green").nodeVersion("1.5").handle(WORK, (number, job) -> {});
        green.start().close();
        assertThat(jobs.rows("SELECT name, version, features, reason, ended >= started,"
                        + " serves -> 'job' ->> 'kinds' FROM howdah_internal.node_end"))
                .hasToString("[[green, 1.5, {job}, stopped, t, [\"work\"]]]");
        // Two that hold no lock, as after a crash; of one the program goes on as another node.
        jobs.execute(
                "INSERT INTO howdah_internal.node (name, features, replaced, serves) VALUES"
                        + " ('red', '{job}', false, '{\"job\": {}, \"process\": {}, \"version\": \"1.4\"}'), ('blue', '{job}', true, '{}')");
        jobs.execute("UPDATE howdah_internal.node_end SET ended = now() - interval '40 days'");
        try (Jobs survivor = green.start()) {
            JobsDatabase.awaiting("recovered")
                    .until(() ->
                            jobs.number("SELECT count(*) FROM howdah_internal.node_end WHERE name <> 'green'") == 2);
            assertThat(jobs.rows("SELECT name, version, features, reason FROM howdah_internal.node_end ORDER BY name"))
                    .as("and what ended before the last month is gone")
                    .hasToString("[[blue, null, {job}, replaced], [red, 1.4, {job,process}, lost]]");
        }
        // A row that was of no node, such as one whose lock another session had.
        jobs.execute("INSERT INTO howdah_internal.node (name, features) VALUES ('none', '{job}');"
                + " DELETE FROM howdah_internal.node WHERE name = 'none'");
        assertThat(jobs.number("SELECT count(*) FROM howdah_internal.node_end WHERE name = 'none'"))
                .isZero();
        assertThatThrownBy(() -> jobs.jobs().nodeVersion("")).hasMessageContaining("the version of a node has 1 to");
    }
}
