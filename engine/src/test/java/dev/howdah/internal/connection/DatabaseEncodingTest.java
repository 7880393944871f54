package dev.howdah.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.Database;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.FatalException;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.ProcessException;
import dev.howdah.process.Processes;
import dev.howdah.process.StepFailedException;
import dev.howdah.spi.RetryPolicy;
import dev.howdah.sweep.Sweep;
import dev.howdah.sweep.SweepProgress;
import dev.howdah.sweep.Sweeps;
import dev.howdah.task.NewTask;
import dev.howdah.task.TaskScheduler;
import dev.howdah.task.TaskTable;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Databases whose encoding has few characters: what they have works, and what they do not have is refused or replaced. */
class DatabaseEncodingTest {
    private static final String KNOWN = "caf\u00e9 12 \u20ac";
    private static final String UNKNOWN = "card 4711 \uD83D\uDE00 declined";
    private static final String REPLACED = "card 4711 ? declined";

    private final TestDatabase database = TestDatabase.inEncoding("LATIN9");

    @AfterEach
    void drop() {
        database.close();
    }

    private PGSimpleDataSource source() {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(
                "jdbc:postgresql://127.0.0.1:" + database.server().port() + "/" + database.name() + "?user=postgres");
        return source;
    }

    @Test
    void jobs_whateverTheyDo_work() throws Exception {
        Kind<String> kind = Kind.of("echo", String.class).retries(RetryPolicy.never());
        try (Jobs jobs = Jobs.on(source())
                .handle(kind, (text, job) -> {
                    switch (text) {
                        case "fail" -> throw new FatalException(UNKNOWN);
                        case "result" -> job.result(UNKNOWN);
                        case "step" -> job.step("s", String.class, () -> UNKNOWN);
                        case "notes" -> {
                            job.log(UNKNOWN);
                            job.progress(0.5, UNKNOWN);
                        }
                        default -> job.result(job.step("s", String.class, () -> text));
                    }
                })
                .start()) {
            long done = jobs.add(NewJob.of(kind, KNOWN).key(KNOWN).tags(KNOWN)).id();
            assertThat(jobs.result(done, String.class).get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .isEqualTo(KNOWN);
            assertThat(state(jobs, jobs.add(kind, "notes"))).isEqualTo("DONE");
            assertThat(state(jobs, jobs.add(kind, "result"))).isEqualTo("FAILED");
            assertThat(state(jobs, jobs.add(kind, "step"))).isEqualTo("FAILED");
            long failed = jobs.add(kind, "fail");
            assertThat(state(jobs, failed)).isEqualTo("FAILED");
            var found = jobs.admin().find(failed).orElseThrow();
            assertThat(found.error()).contains(REPLACED);
            assertThat(jobs.admin()
                            .count(JobQuery.in(JobState.FAILED)
                                    .errorPattern(String.valueOf(found.error())
                                            .lines()
                                            .findFirst()
                                            .orElseThrow()
                                            .replace("4711", "..."))))
                    .isEqualTo(1);
            assertThatThrownBy(() -> jobs.add(kind, UNKNOWN)).hasMessageContaining("LATIN9");
        }
    }

    private static String state(Jobs jobs, long job) throws Exception {
        return jobs.await(job, Patience.LIMIT).state().toString();
    }

    @Test
    void processes_whateverTheyDo_work() {
        Namespace echo = Namespace.of("echo", (task, process) -> {
            String text = task.args().size() == 0 ? "" : task.args().as(String.class);
            if (text.equals("fail")) throw new StepFailedException(UNKNOWN);
            return Intent.none().event(text).auxState(text).response(text);
        });
        try (Processes processes = Processes.on(source()).namespace(echo).start()) {
            processes.init("echo", KNOWN, null);
            for (String text : List.of(KNOWN, UNKNOWN))
                assertThat(processes.call("echo", KNOWN, text).as(String.class)).isEqualTo(text);
            assertThatThrownBy(() -> processes.call("echo", KNOWN, "fail")).isInstanceOf(ProcessException.class);
            assertThat(processes.get("echo", KNOWN).detail()).contains("LATIN9");
            assertThatThrownBy(() -> processes.init("echo", UNKNOWN, null)).hasMessageContaining("LATIN9");
        }
    }

    @Test
    void sweeps_withErrors_work() throws Exception {
        database.execute("CREATE TABLE mail (id integer PRIMARY KEY, sent boolean); INSERT INTO mail VALUES (1), (2)");
        try (Sweep sweep = Sweep.on(source())
                .name("mailing")
                .table("mail")
                .where("sent IS NULL")
                .key("id")
                .mark("sent = true")
                .retries(RetryPolicy.never())
                .forEachRow(row -> {
                    if (row.getLong("id") == 1) throw new IllegalStateException(UNKNOWN);
                })
                .start()) {
            SweepProgress end = sweep.join();
            assertThat(end.failed()).isEqualTo(1);
        }
        assertThat(Sweeps.on(source()).errorGroups("mailing", 10).toString()).contains("card ... ? declined");
    }

    @Test
    void tasks_withErrors_work() {
        TaskTable tasks = TaskTable.on(Database.of(database.uri()), "public", "task");
        try (TaskScheduler scheduler =
                TaskScheduler.on(Database.of(database.uri())).start()) {
            assertThat(scheduler).isNotNull();
            Awaitility.await("the table is there")
                    .atMost(Patience.LIMIT)
                    .pollInterval(Duration.ofMillis(10))
                    .until(() -> "t".equals(database.value("SELECT to_regclass('task') IS NOT NULL")));
            long id = tasks.add(NewTask.of("SELECT '" + KNOWN + "'"));
            Awaitility.await("the task has ended")
                    .atMost(Patience.LIMIT)
                    .pollInterval(Duration.ofMillis(10))
                    .until(() -> tasks.find(id).orElseThrow().stop() != null);
            assertThat(tasks.find(id).orElseThrow().output()).isEqualTo(KNOWN);
        }
    }
}
