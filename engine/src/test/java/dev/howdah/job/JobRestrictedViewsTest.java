package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.howdah.Database;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.task.NewTask;
import dev.howdah.task.TaskScheduler;
import dev.howdah.task.TaskTable;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Databases that refuse views, as pg_dump has it for itself: sessions of nodes and schedulers do not mind. */
@PostgresTest
class JobRestrictedViewsTest {
    private static final Kind<String> WORK = Kind.of("work", String.class);
    private static final Kind<String> LOGGED = Kind.of("logged", String.class);

    private final TestDatabase database;
    private final JobsDatabase jobsDatabase;

    JobRestrictedViewsTest(TestDatabase database) {
        this.database = JobsDatabase.filled(database);
        this.jobsDatabase = JobsDatabase.in(database);
    }

    @Test
    void views_thatTheDatabaseRefuses_keepNoJobAndNoTask() throws Exception {
        assumeTrue("1"
                .equals(database.value(
                        "SELECT count(*) FROM pg_settings WHERE name = 'restrict_nonsystem_relation_kind'")));
        try (Jobs jobs = jobsDatabase.jobs().start()) {
            jobs.admin().logQueues().create("entries", Duration.ofDays(1));
            jobs.admin().logQueues().addReader("entries", "all");
        }
        database.execute("ALTER DATABASE " + database.name() + " SET restrict_nonsystem_relation_kind = 'view'");
        CountDownLatch done = new CountDownLatch(3);
        try (Jobs jobs = jobsDatabase
                        .jobs()
                        .handle(WORK, (payload, job) -> done.countDown())
                        .handle(LOGGED, (payload, job) -> done.countDown())
                        .queues("default", "entries/all")
                        .start();
                TaskScheduler scheduler =
                        TaskScheduler.on(Database.of(database.uri())).start()) {
            jobs.addAll(List.of(NewJob.of(WORK, "a"), NewJob.of(WORK, "b").key("k")));
            // Who adds to a log queue needs its view.
            PGSimpleDataSource source = jobsDatabase.source();
            source.setOptions("-c restrict_nonsystem_relation_kind=");
            try (Jobs adding = Jobs.on(source).start()) {
                adding.add(NewJob.of(LOGGED, "c").queue("entries"));
            }
            assertThat(done.await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(scheduler.awaitServed(Duration.ofSeconds(20))).isTrue();
            TaskTable tasks = TaskTable.on(Database.of(database.uri()), "public", "task");
            long id = tasks.add(NewTask.of("SELECT 1"));
            JobsDatabase.awaiting("a task")
                    .until(() -> "DONE".equals(database.value("SELECT state FROM task WHERE id = " + id)));
        }
    }
}
