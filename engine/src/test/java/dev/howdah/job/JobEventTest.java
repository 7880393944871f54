package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobSummary;
import dev.howdah.job.wait.Emission;
import dev.howdah.job.wait.EmittedEvent;
import dev.howdah.job.wait.EventWait;
import dev.howdah.job.wait.JobSuspended;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Handlers that wait for events, which are addressed to no job. */
@PostgresTest
class JobEventTest {
    private static final Kind<String> WORK = Kind.of("work", String.class);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final JobsDatabase database;
    private final List<String> read = new CopyOnWriteArrayList<>();
    private final AtomicInteger runs = new AtomicInteger();

    JobEventTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    private ManualJobs manual(Handler<String> handler) {
        return database.jobs()
                .handle(WORK, (text, job) -> {
                    runs.incrementAndGet();
                    handler.handle(text, job);
                })
                .manual();
    }

    private static JobSummary find(ManualJobs manual, long id) {
        return manual.jobs().admin().find(id).orElseThrow();
    }

    private static String said(Optional<EmittedEvent<Integer>> event) {
        return event.map(each -> "" + each.payload()).orElse("none");
    }

    @Test
    void event_sinceTheAdd_meetsIt_andNoneOfBefore() {
        try (ManualJobs manual = manual((text, job) -> {
            job.sleep("first", MINUTE);
            EventWait<Integer> paid = EventWait.of("paid", Integer.class).key("17");
            read.add(said(job.awaitEvent(text.equals("new") ? paid.onlyNew() : paid, HOUR)));
        })) {
            manual.jobs().emit(Emission.of("paid", 1).key("17"));
            long id = manual.jobs().add(WORK, "kept");
            long onlyNew = manual.jobs().add(WORK, "new");
            manual.runDue();
            manual.jobs().emit(Emission.of("paid", 2).key("17"));
            manual.jobs().emit(Emission.of("paid", 3).key("18"));
            JobWaitClock.pass(database, MINUTE);
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.DONE);
            assertThat(read).containsExactly("2");
            assertThat(runs).hasValue(4);
            assertThat(manual.jobs().admin().why(onlyNew).get(0).code()).isEqualTo("awaits-event");
            JobWaitClock.pass(database, HOUR);
            manual.runDue();
            assertThat(read).containsExactly("2", "none");
        }
    }

    @Test
    void onlyNewEvent_afterTheLookOfTheHandler_meetsIt_beforeTheWaitIsWritten() {
        EventWait<Integer> paid = EventWait.of("paid", Integer.class).onlyNew();
        try (ManualJobs manual = manual((text, job) -> {
            try {
                read.add(said(job.awaitEvent(paid, HOUR)));
            } catch (JobSuspended e) {
                database.text("SELECT howdah.emit('paid', '', '4')");
                throw e;
            }
        })) {
            database.text("SELECT howdah.emit('paid', '', '3')");
            long id = manual.jobs().add(WORK, "x");
            manual.runDue();
            assertThat(find(manual, id).state()).isEqualTo(JobState.DONE);
        }
        assertThat(read).containsExactly("4");
    }

    @Test
    void event_wakesAllThatWaitForItsKeyAndFilter() {
        try (ManualJobs manual = manual((text, job) -> {
            EventWait<Map> paid = EventWait.of("paid", Map.class).key("17").containing("{\"by\": \"" + text + "\"}");
            Map<?, ?> payload = Objects.requireNonNull(
                    job.awaitEvent(paid, HOUR).orElseThrow().payload());
            read.add(text + " " + payload.get("sum"));
        })) {
            manual.jobs().addAll(List.of(NewJob.of(WORK, "card"), NewJob.of(WORK, "card"), NewJob.of(WORK, "cash")));
            manual.runDue();
            manual.jobs().emit(Emission.of("paid", Map.of("by", "card", "sum", 1)));
            manual.jobs()
                    .emit(Emission.of("paid", Map.of("by", "card", "sum", 2)).key("17"));
            manual.runDue();
            assertThat(read).containsExactly("card 2", "card 2");
            database.text("SELECT howdah.emit('paid', '17', '{\"by\": \"cash\", \"sum\": 3}')");
            manual.runDue();
            assertThat(read).containsExactly("card 2", "card 2", "cash 3");
        }
        assertThat(database.number("SELECT count(*) FROM howdah_internal.job_event WHERE fresh"))
                .isZero();
    }

    @Test // one whose transaction commits late is read later
    void events_areReadInTheOrderInWhichTheyAreSeen_noneTwice() throws SQLException {
        try (ManualJobs manual = manual((text, job) -> {
                    for (int i = 0; i < 3; i++) {
                        String said = said(job.awaitEvent(EventWait.of("tick", Integer.class), HOUR));
                        job.step("read " + i, Void.class, () -> {
                            read.add(said);
                            return null;
                        });
                    }
                });
                Connection late = database.connect()) {
            long id = manual.jobs().add(WORK, "x");
            manual.runDue();
            late.setAutoCommit(false);
            manual.jobs().emit(Emission.of("tick", 1));
            manual.jobs().emit(late, Emission.of("tick", 2));
            manual.jobs().emit(Emission.of("tick", 3));
            manual.runDue();
            assertThat(read).containsExactly("1", "3");
            late.commit();
            // The events go, what was read of them stays.
            manual.runDue();
            database.execute("DELETE FROM howdah_internal.job_event");
            assertThat(find(manual, id).state()).isEqualTo(JobState.DONE);
        }
        assertThat(read).containsExactly("1", "3", "2");
    }

    @Test // some in each look
    void event_wakesManyJobsOnceEach() {
        int count = 1_500;
        try (Jobs jobs = database.jobs()
                .handle(WORK, (text, job) -> {
                    runs.incrementAndGet();
                    read.add(said(job.awaitEvent(EventWait.of("go", Integer.class), HOUR)));
                })
                .start()) {
            jobs.addAll(IntStream.range(0, count)
                    .mapToObj(i -> NewJob.of(WORK, "x"))
                    .toList());
            JobsDatabase.awaiting("all wait").until(() -> jobs.admin().count(JobQuery.in(JobState.SUSPENDED)) == count);
            assertThat(runs).hasValue(count);
            jobs.emit(Emission.of("go", 1));
            JobsDatabase.awaiting("all are woken: " + read.size()).until(() -> read.size() == count);
        }
        assertThat(runs).hasValue(2 * count);
        assertThat(database.number("SELECT count(*) FROM howdah_internal.job_event"))
                .isEqualTo(1);
    }

    @Test
    void event_onNodes_resumesAJob() {
        try (Jobs jobs = database.jobs()
                .handle(WORK, (text, job) -> read.add(said(job.awaitEvent(EventWait.of("go", Integer.class), HOUR))))
                .start()) {
            long id = jobs.add(WORK, "x");
            JobsDatabase.awaiting("it waits")
                    .until(() -> jobs.admin().find(id).orElseThrow().state() == JobState.SUSPENDED);
            jobs.emit(Emission.of("go", 7));
            JobsDatabase.awaiting("it is done")
                    .until(() -> jobs.admin().find(id).orElseThrow().state() == JobState.DONE);
        }
        assertThat(read).containsExactly("7");
    }

    @Test
    void event_thatIsTooLarge_isRefused_andOneThatIsOverIsNotMet() {
        try (ManualJobs manual = manual((text, job) ->
                read.add(said(job.awaitEvent(EventWait.of("go", Integer.class), Duration.ZERO))))) {
            assertThatThrownBy(() -> manual.jobs().emit(Emission.of("go", "x".repeat(70_000))))
                    .hasMessageContaining("70002 bytes: it may have 65536 at most");
            manual.jobs().add(WORK, "x");
            manual.jobs().emit(Emission.of("go", 1).keep(Duration.ZERO));
            manual.runDue();
        }
        assertThat(read).containsExactly("none");
    }
}
