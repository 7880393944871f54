package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import dev.howdah.spi.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What jobs do, in short, on every major version of PostgreSQL with their tables. All of it: {@code .ci/majors}. */
class JobEveryMajorTest {
    private static final Kind<String> WORK = Kind.of("work", String.class);

    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#withTables")
    void jobs_ofAllForms_areDone(int major) {
        Queue<String> done = new ConcurrentLinkedQueue<>();
        AtomicBoolean failed = new AtomicBoolean();
        try (TestDatabase test = TestDatabase.create(TestServer.of(major))) {
            JobsDatabase database = JobsDatabase.in(test);
            test.execute("SELECT howdah.queue('logged', storage => 'log')");
            try (Jobs jobs = database.jobs()
                    .queues("default", "limited", "logged")
                    .defaultRetries(RetryPolicy.after(Duration.ofMillis(1)))
                    .handle(WORK, (payload, job) -> {
                        if (payload.equals("fails once") && !failed.getAndSet(true))
                            throw new IllegalStateException("for once");
                        done.add(payload);
                    })
                    .start()) {
                jobs.admin().setLimit("limited", 2);
                jobs.add(WORK, "plain");
                jobs.addAll(List.of(
                        NewJob.of(WORK, "fails once"),
                        NewJob.of(WORK, "keyed").key("k"),
                        NewJob.of(WORK, "first").orderKey("o"),
                        NewJob.of(WORK, "second").orderKey("o"),
                        NewJob.of(WORK, "limited").queue("limited"),
                        NewJob.of(WORK, "logged").queue("logged")));
                test.execute("SELECT howdah.add('default', 'work', '\"by SQL\"')");
                await().atMost(Patience.LIMIT)
                        .untilAsserted(() -> assertThat(done)
                                .containsExactlyInAnyOrder(
                                        "plain",
                                        "fails once",
                                        "keyed",
                                        "first",
                                        "second",
                                        "limited",
                                        "logged",
                                        "by SQL"));
                assertThat(done).containsSubsequence("first", "second");
                await().atMost(Patience.LIMIT)
                        .until(() -> database.text("SELECT count(*) FROM howdah.jobs WHERE state = 'done'")
                                .equals("7"));
            }
        }
    }

    @Tag("long")
    @Test
    void tables_onAServerThatIsTooOld_areRefused() {
        assumeThat(TestServer.older()).contains(10);
        try (TestDatabase database = TestDatabase.create(TestServer.of(10))) {
            assertThatThrownBy(() -> JobsDatabase.in(database).jobs().start())
                    .isInstanceOf(JobsException.class)
                    .hasMessage("jobs cannot run on this database: jobs need PostgreSQL 12 or later, and this server is"
                            + " 10.23; tasks need 10");
            assertThat(database.value("SELECT to_regnamespace('howdah') IS NULL"))
                    .isEqualTo("t");
        }
    }
}
