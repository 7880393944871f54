package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** PostgreSQL 13 does not end idle sessions: nodes end the session of a frozen one. */
@Tag("long")
class JobFrozenOnOldestTest {
    @Test
    void node_frozenOnPostgreSQL13_itsJobRunsElsewhere() {
        try (TestDatabase made =
                TestDatabase.create(TestServer.of(TestServer.majors().get(0)))) {
            JobsDatabase database = JobsDatabase.in(made);
            try (Jobs producer = database.jobs().start();
                    JobProcess frozen = JobProcess.at(database.uri(), 1)) {
                long job = producer.add(JobProcess.WORK, "hang");
                frozen.awaitSaid("began " + job + " 1");
                frozen.freeze();
                try (Jobs other = database.jobs()
                        .handle(JobProcess.WORK, (payload, its) -> {})
                        .start()) {
                    JobsDatabase.awaiting("it ran elsewhere")
                            .atMost(Patience.LIMIT)
                            .until(() -> database.letters(job), "xd"::equals);
                    assertThat(other.node()).isPositive();
                }
                frozen.thaw();
                frozen.awaitSaid("interrupted " + job);
            }
        }
    }
}
