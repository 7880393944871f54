package dev.howdah.job;

import static dev.howdah.job.JobsDatabase.awaiting;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobSummary;
import dev.howdah.spi.RetryPolicy;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tags and metadata: in the handler, wherever jobs are looked at, and as a filter. */
@PostgresTest
class JobTagsTest {
    private static final Kind<Integer> WORK = Kind.of("work", Integer.class);

    private final JobsDatabase database;

    JobTagsTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    private static NewJob<Integer> tagged(int payload) {
        return NewJob.of(WORK, payload).tags("vip", "eu", "vip").metadata(Map.of("source", "import", "row", payload));
    }

    @Test
    void handler_ofAJobAddedInAnyWay_readsThem() {
        Set<String> seen = ConcurrentHashMap.newKeySet();
        try (Jobs jobs = database.jobs()
                .handle(WORK, (n, job) -> {
                    seen.add(n + " " + job.tags() + " " + job.metadata().get("source") + " "
                            + job.metadata().get("row"));
                })
                .start()) {
            jobs.add(tagged(0));
            jobs.add(tagged(1).key("a key"));
            jobs.add(tagged(2).orderKey("an order"));
            jobs.addAll(IntStream.range(3, 7).mapToObj(JobTagsTest::tagged).toList());
            jobs.addEach(List.of(
                    tagged(7),
                    tagged(8).key("b"),
                    tagged(9).key("c"),
                    tagged(10).orderKey("d")));
            jobs.add(NewJob.of(WORK, 11)
                    .tags("x")
                    .metadata(Map.of("a", 1))
                    .tags()
                    .metadata(Map.of()));
            database.execute("SELECT howdah.add('default', 'work', '12', options =>"
                    + " '{\"tags\": [\"vip\", \"eu\"], \"metadata\": {\"row\": 12, \"source\": \"import\"}}')");
            awaiting("all are seen").until(() -> seen.size() == 13);
            assertThat(seen).contains("11 [] null null");
            for (int i = 0; i < 13; i++) if (i != 11) assertThat(seen).contains(i + " [eu, vip] import " + i);
        }
    }

    @Test
    void kind_withTags_givesThemToItsJobs() {
        Kind<Integer> kind =
                Kind.of("kind", Integer.class).tags("billing").priority(3).queue("q");
        assertThat(NewJob.of(kind, 1).options()).isEqualTo("{\"tags\":[\"billing\"]}");
        assertThat(NewJob.of(kind.timeout(Duration.ofSeconds(1)).retries(RetryPolicy.after(Duration.ofSeconds(1))), 1)
                        .options())
                .isEqualTo("{\"tags\":[\"billing\"]}");
        assertThat(NewJob.of(kind, 1).tags("other").options()).isEqualTo("{\"tags\":[\"other\"]}");
        assertThat(NewJob.of(WORK, 1).options()).isNull();
        try (Jobs jobs = database.jobs().start()) {
            long id = jobs.add(kind, 1);
            assertThat(jobs.admin().find(id).orElseThrow().tags()).containsExactly("billing");
        }
    }

    @Tag("long")
    @Test
    void job_inEveryState_showsThem() {
        CountDownLatch over = new CountDownLatch(1);
        try (Jobs jobs = database.jobs()
                .handle(Kind.of("fails", Integer.class), (n, job) -> {
                    throw new FatalException("no");
                })
                .handle(Kind.of("again", Integer.class), (n, job) -> {
                    throw new IllegalStateException("later");
                })
                .handle(Kind.of("waits", Integer.class), (n, job) -> over.await())
                .handle(Kind.of("works", Integer.class), (n, job) -> {})
                .defaultRetries(RetryPolicy.after(Duration.ofHours(1)))
                .start()) {
            long done = add(jobs, "works", "default");
            long failed = add(jobs, "fails", "default");
            long retrying = add(jobs, "again", "default");
            long running = add(jobs, "waits", "default");
            long waiting = add(jobs, "works", "nobody's");
            long cancelled = add(jobs, "works", "nobody's");
            jobs.admin().cancel(cancelled);
            long planned = jobs.add(NewJob.of(Kind.of("works", Integer.class), 1)
                            .delay(Duration.ofHours(1))
                            .tags("eu", "vip")
                            .metadata(Map.of("source", "import")))
                    .id();
            Map<JobState, Long> expected = Map.of(
                    JobState.DONE, done,
                    JobState.FAILED, failed,
                    JobState.RETRYING, retrying,
                    JobState.RUNNING, running,
                    JobState.WAITING, waiting,
                    JobState.CANCELLED, cancelled,
                    JobState.PLANNED, planned);
            jobs.add(NewJob.of(Kind.of("works", Integer.class), 1)
                    .queue("nobody's")
                    .tags("eu"));
            expected.forEach((state, id) -> {
                JobQuery query = JobQuery.in(state).tag("vip").tag("eu");
                awaiting(id + " is " + state).until(() -> jobs.admin().count(query) == 1);
                List<JobSummary> found = jobs.admin().list(query).jobs();
                assertThat(found).as(state.name()).hasSize(1);
                assertThat(found.get(0).id()).isEqualTo(id);
                assertThat(found.get(0)).isEqualTo(jobs.admin().find(id).orElseThrow());
                assertThat(found.get(0).tags()).containsExactly("eu", "vip");
                assertThat(found.get(0).metadata()).isEqualTo("{\"source\": \"import\"}");
                assertThat(jobs.admin().list(query.tag("no")).jobs()).isEmpty();
                JobQuery imported = JobQuery.in(state).metadata("{\"source\": \"import\"}");
                assertThat(jobs.admin().list(imported).jobs())
                        .extracting(JobSummary::id)
                        .containsExactly(id);
                assertThat(jobs.admin().count(imported)).isEqualTo(1);
                JobQuery others = imported.metadata("{\"source\": \"export\"}");
                assertThat(jobs.admin().list(others).jobs()).isEmpty();
                assertThat(jobs.admin().count(others)).isZero();
            });
            over.countDown();
        }
    }

    private static long add(Jobs jobs, String kind, String queue) {
        return jobs.add(NewJob.of(Kind.of(kind, Integer.class), 1)
                        .queue(queue)
                        .tags("eu", "vip")
                        .metadata(Map.of("source", "import")))
                .id();
    }

    @Test
    void tags_passStagesRetriesAndRedrive() {
        List<String> seen = Collections.synchronizedList(new java.util.ArrayList<>());
        Pipeline pipeline = Pipeline.of("order")
                .stage("first", Integer.class, (n, job) -> {
                    seen.add("first " + job.attempt() + job.tags());
                    if (job.attempt() == 1) throw new IllegalStateException("once more");
                    return Outcome.next(n);
                })
                .stage("second", Integer.class, (n, job) -> {
                    seen.add("second " + job.attempt() + job.tags());
                    if (seen.size() < 4) throw new FatalException("no");
                    return Outcome.done();
                });
        try (Jobs jobs = database.jobs()
                .defaultRetries(RetryPolicy.after(Duration.ZERO))
                .pipeline(pipeline)
                .start()) {
            long id = jobs.add(pipeline.job(1).tags("eu")).id();
            long other = jobs.add(NewJob.of(Kind.of("x", Integer.class), 1)
                            .queue("nobody's")
                            .tags("us"))
                    .id();
            jobs.admin().cancel(other);
            database.awaitFailed(id);
            assertThat(jobs.admin().retryAll(JobQuery.in(JobState.FAILED).tag("us")))
                    .isZero();
            assertThat(jobs.admin().retryAll(JobQuery.in(JobState.FAILED).tag("eu")))
                    .isEqualTo(1);
            awaiting("it is done")
                    .until(() -> jobs.admin().count(JobQuery.in(JobState.DONE).tag("eu")) == 1);
            assertThat(seen).containsExactly("first 1[eu]", "first 2[eu]", "second 1[eu]", "second 1[eu]");
            database.execute("CALL howdah.change_jobs('delete', 'cancelled', tags => '{eu}')");
            assertThat(jobs.admin().find(other)).isPresent();
            database.execute("CALL howdah.change_jobs('delete', 'cancelled', tags => '{us}')");
            assertThat(jobs.admin().find(other)).isEmpty();
        }
    }

    @Test
    void change_ofJobsWithMetadata_leavesTheOthers() {
        try (Jobs jobs = database.jobs().start()) {
            NewJob<Integer> job = NewJob.of(WORK, 1).queue("nobody's");
            long imported =
                    jobs.add(job.metadata(Map.of("source", "import", "row", 7))).id();
            long typed = jobs.add(job.metadata(Map.of("source", "form"))).id();
            long plain = jobs.add(job).id();
            JobQuery waiting = JobQuery.in(JobState.WAITING);
            assertThat(jobs.admin().cancelAll(waiting.metadata("{\"source\": \"import\"}")))
                    .isEqualTo(1);
            database.execute("CALL howdah.change_jobs('cancel', 'waiting', metadata => '{\"source\": \"form\"}')");
            assertThat(jobs.admin().find(imported).orElseThrow().state()).isEqualTo(JobState.CANCELLED);
            assertThat(jobs.admin().find(typed).orElseThrow().state()).isEqualTo(JobState.CANCELLED);
            assertThat(jobs.admin().find(plain).orElseThrow().state()).isEqualTo(JobState.WAITING);
            JobQuery cancelled = JobQuery.in(JobState.CANCELLED).metadata("{\"row\": 7}");
            assertThat(jobs.admin().retryAll(cancelled)).isEqualTo(1);
            assertThat(jobs.admin().find(imported).orElseThrow().state()).isEqualTo(JobState.WAITING);
            assertThat(jobs.admin().find(typed).orElseThrow().state()).isEqualTo(JobState.CANCELLED);
        }
        JobQuery query = JobQuery.in(JobState.DONE);
        assertThatThrownBy(() -> query.metadata("[1]"))
                .hasMessage("a filter of metadata of [1]: it has to be a JSON object such as {\"source\": \"import\"}");
        assertThatThrownBy(() -> query.metadata("{")).hasMessage("a filter of metadata that is not JSON: {");
        assertThatThrownBy(() -> query.metadata("{\"x\": \"" + "y".repeat(5_000) + "\"}"))
                .hasMessage("a filter of metadata of 5009 bytes: metadata have 4096 at most");
    }

    @Test
    void tags_ofAWaitingJob_areReplaced_andTheRestOfItStays() {
        try (Jobs jobs = database.jobs().start()) {
            long plain = jobs.add(NewJob.of(WORK, 1)).id();
            long full = jobs.add(NewJob.of(WORK, 2)
                            .tags("old")
                            .metadata(Map.of("a", Map.of("b", 1)))
                            .key("k"))
                    .id();
            long ordered = jobs.add(NewJob.of(WORK, 3).orderKey("o")).id();
            long behind = jobs.add(NewJob.of(WORK, 4).orderKey("o")).id();
            for (long id : List.of(plain, full, ordered, behind)) {
                String before =
                        String.valueOf(jobs.admin().find(id).orElseThrow().metadata());
                assertThat(jobs.admin().setTags(id, List.of("b", "a", "b"))).isTrue();
                assertThat(jobs.admin().find(id).orElseThrow().tags()).containsExactly("a", "b");
                assertThat(String.valueOf(jobs.admin().find(id).orElseThrow().metadata()))
                        .isEqualTo(before);
                assertThat(jobs.admin().setTags(id, List.of())).isTrue();
                assertThat(jobs.admin().find(id).orElseThrow().tags()).isEmpty();
            }
            assertThat(jobs.admin().find(full).orElseThrow().key()).isEqualTo("k");
            assertThatThrownBy(() -> jobs.admin().setTags(plain, List.of("x".repeat(101))))
                    .hasMessageContaining("1 to 100 characters");
            jobs.admin().cancel(plain);
            assertThat(jobs.admin().setTags(plain, List.of("a"))).isFalse();
            assertThatThrownBy(() -> jobs.admin().setTags(987_654, List.of("a")))
                    .hasMessageContaining("there is no job 987654");
        }
    }

    @Test
    void tagsAndMetadata_outOfBounds_areRefused() {
        NewJob<Integer> job = NewJob.of(WORK, 1);
        String[] many = IntStream.range(0, 21).mapToObj(i -> "t" + i).toArray(String[]::new);
        assertThatThrownBy(() -> job.tags(many)).hasMessage("21 tags: a job has 20 at most");
        assertThat(NewJob.of(WORK, 1).tags(Arrays.copyOf(many, 20)).options()).contains("t19");
        assertThatThrownBy(() -> job.tags("")).hasMessage("a tag has 1 to 100 characters, not 0");
        assertThatThrownBy(() -> job.tags("x".repeat(101)))
                .hasMessageStartingWith("a tag has 1 to 100 characters, not 101: xxx");
        assertThatThrownBy(() -> job.tags("a\0")).hasMessage("a tag has no character 0: a\\0");
        assertThatThrownBy(() -> job.metadata(Map.of("x", "y".repeat(5_000))))
                .hasMessageStartingWith("metadata of 5009 bytes: 4096 at most");
        assertThatThrownBy(() -> job.metadata(Map.of("x", "\0"))).hasMessageContaining("no character 0");
        assertThatThrownBy(() -> JobQuery.in(JobState.DONE).tag("")).hasMessageStartingWith("a tag has 1 to 100");
        try (Jobs jobs = database.jobs().start()) {
            String largest = "y".repeat(4_096 - 9);
            assertThat(jobs.add(job.metadata(Map.of("x", largest)).key("k")).added())
                    .isTrue();
        }
    }
}
