package dev.howdah.job;

import static dev.howdah.job.JobsDatabase.awaiting;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.query.BulkChange;
import dev.howdah.job.query.BulkChange.Action;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Thousands have failed: with what error? Mend it, and run them again. */
@Tag("long")
@PostgresTest
class JobRedriveTest {
    private static final Kind<Integer> WORK = Kind.of("work", Integer.class);
    private static final Kind<Integer> OTHER = Kind.of("other", Integer.class);

    private final TestDatabase database;

    JobRedriveTest(TestDatabase database) {
        this.database = JobsDatabase.filled(database);
    }

    private Jobs program() {
        return Jobs.on(JobsDatabase.dataSource(database)).start();
    }

    /** Jobs that wait; nothing runs them. */
    private static List<Long> add(Jobs jobs, Kind<Integer> kind, String queue, int count) {
        return jobs.addAll(IntStream.range(0, count)
                .mapToObj(n -> NewJob.of(kind, n).queue(queue))
                .toList());
    }

    @Test
    void retryAll_afterTheMend_runsThoseAndNoOthers() {
        AtomicBoolean mended = new AtomicBoolean();
        Set<Integer> again = ConcurrentHashMap.newKeySet();
        try (Jobs jobs = Jobs.on(JobsDatabase.dataSource(database))
                .handle(WORK, (n, job) -> {
                    if (!mended.get()) throw new FatalException(n % 3 == 0 ? "no stock" : "no connection to bank");
                    again.add(n);
                })
                .start()) {
            add(jobs, WORK, "default", 2_999);
            jobs.add(NewJob.of(WORK, 2_999).key("a key"));
            JobQuery failed = JobQuery.in(JobState.FAILED);
            awaiting("all have failed").until(() -> jobs.admin().count(failed) == 3_000);
            mended.set(true);
            JobQuery bank = failed.error("connection to bank");
            assertThat(jobs.admin().count(bank)).isEqualTo(2_000);
            assertThat(jobs.admin().retryAll(bank)).isEqualTo(2_000);
            awaiting("they are done").until(() -> again.size() == 2_000);
            assertThat(again).noneMatch(n -> n % 3 == 0);
            awaiting("they are done").until(() -> jobs.admin().count(JobQuery.in(JobState.DONE)) == 2_000);
            assertThat(jobs.admin().count(failed)).isEqualTo(1_000);
            assertThat(jobs.admin().retryAll(bank)).isZero();
            assertThat(jobs.admin().deleteAll(failed.payload("3"))).isEqualTo(1);
            assertThat(jobs.admin().count(failed)).isEqualTo(999);
        }
    }

    @Test
    void change_saysHowFarItIs_andStopsWhenItIsTold() {
        try (Jobs jobs = program()) {
            add(jobs, WORK, "default", 3_500);
            JobQuery waiting = JobQuery.in(JobState.WAITING);
            assertThat(jobs.admin().cancelAll(waiting)).isEqualTo(3_500);
            JobQuery cancelled = JobQuery.in(JobState.CANCELLED);
            List<Long> steps = new ArrayList<>();
            long changed = jobs.admin().change(new BulkChange(Action.RETRY, cancelled, null), (soFar, left) -> {
                assertThat(left).isZero();
                steps.add(soFar);
                return steps.size() < 2;
            });
            // The first steps are small; how many follow depends on the time that they take.
            assertThat(steps.get(0)).isEqualTo(100);
            assertThat(steps.get(1)).isBetween(120L, 300L);
            assertThat(changed).isEqualTo(steps.get(1));
            assertThat(jobs.admin().count(waiting)).isEqualTo(changed);
            assertThat(jobs.admin()
                            .change(new BulkChange(Action.RETRY, cancelled, null), (soFar, left) -> steps.add(soFar)))
                    .isEqualTo(3_500 - changed);
        }
        assertThatThrownBy(() -> new BulkChange(Action.MOVE, JobQuery.in(JobState.WAITING), null))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new BulkChange(Action.RETRY, JobQuery.in(JobState.FAILED), "mail"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void changeEach_someCannotBeChanged_changesTheOthers() {
        try (Jobs jobs = program()) {
            List<Long> ids = new ArrayList<>(add(jobs, WORK, "default", 150));
            long keyed = jobs.add(NewJob.of(WORK, 1).key("a key")).id();
            ids.add(keyed);
            ids.add(987_654_321L);
            assertThat(jobs.admin().changeEach(Action.CANCEL, ids)).isEqualTo(151);
            assertThat(jobs.admin().changeEach(Action.CANCEL, ids)).isZero();
            // Another job has the key now.
            jobs.add(NewJob.of(WORK, 2).key("a key"));
            assertThat(jobs.admin().changeEach(Action.RETRY, ids)).isEqualTo(150);
            assertThat(jobs.admin().find(keyed).orElseThrow().state()).isEqualTo(JobState.CANCELLED);
            assertThat(jobs.admin().changeEach(Action.RUN_NOW, ids)).isZero();
            assertThat(jobs.admin().changeEach(Action.DELETE, ids)).isEqualTo(1);
            assertThat(jobs.admin().count(JobQuery.in(JobState.WAITING))).isEqualTo(151);
        }
    }

    @Test
    void moveEach_movesThoseThatWaitAndHaveNoKey() {
        try (Jobs jobs = program()) {
            List<Long> ids = new ArrayList<>(add(jobs, WORK, "default", 150));
            jobs.admin().cancel(ids.get(0));
            long grouped = jobs.add(NewJob.of(WORK, 1).group("acme")).id();
            ids.add(grouped);
            ids.add(jobs.add(NewJob.of(WORK, 1).key("a key")).id());
            ids.add(jobs.add(NewJob.of(WORK, 1).orderKey("an order")).id());
            ids.add(987_654_321L);
            assertThat(jobs.admin().moveEach(ids, "night")).isEqualTo(150);
            assertThat(jobs.admin().count(JobQuery.in(JobState.WAITING).queue("night")))
                    .isEqualTo(150);
            assertThat(jobs.admin().count(JobQuery.in(JobState.WAITING).queue("default")))
                    .as("the one with the key; the first of an order key waits apart")
                    .isEqualTo(1);
            assertThat(jobs.admin().find(grouped).orElseThrow().queue()).isEqualTo("night");
            assertThatThrownBy(() -> jobs.admin().moveEach(ids, "")).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> jobs.admin().changeEach(Action.MOVE, ids))
                    .hasMessage("to move jobs, a queue is needed: use moveEach");
        }
    }

    /** Jobs with a key, with an order key and with a large payload come back as by single calls. */
    @Test
    void retryAll_keysAndOrder_areKept() {
        try (Jobs jobs = program()) {
            long keyed = jobs.add(NewJob.of(WORK, 1).key("a")).id();
            long rival = jobs.add(NewJob.of(WORK, 2).key("b")).id();
            long first = jobs.add(NewJob.of(WORK, 3).orderKey("o")).id();
            long large = jobs.add(Kind.of("large", String.class), "x".repeat(20_000));
            JobQuery waiting = JobQuery.in(JobState.WAITING);
            assertThat(jobs.admin().cancelAll(waiting)).isEqualTo(3);
            assertThat(jobs.admin().cancel(first)).isEqualTo(CancelResult.CANCELLED);
            long holder = jobs.add(NewJob.of(WORK, 4).key("b")).id();
            assertThat(holder).isNotEqualTo(rival);
            assertThat(jobs.admin().retryAll(JobQuery.in(JobState.CANCELLED))).isEqualTo(3);
            assertThat(jobs.admin().find(keyed).orElseThrow().state()).isEqualTo(JobState.WAITING);
            assertThat(jobs.admin().find(rival).orElseThrow().state()).isEqualTo(JobState.CANCELLED);
            assertThat(jobs.admin().find(first).orElseThrow().state()).isEqualTo(JobState.FOLLOWING);
            assertThat(jobs.admin().find(large).orElseThrow().payload()).hasSize(20_002);
            assertThat(jobs.add(NewJob.of(WORK, 5).key("a"))).isEqualTo(new AddResult(keyed, false));
            assertThat(jobs.admin().deleteAll(JobQuery.in(JobState.CANCELLED))).isEqualTo(1);
            assertThat(jobs.admin().find(rival)).isEmpty();
        }
    }

    @Test
    void cancelRunNowAndMove_byFilter_changeThoseThatMeetIt() {
        try (Jobs jobs = program()) {
            JobAdmin admin = jobs.admin();
            List<Long> mail = add(jobs, WORK, "mail", 5);
            add(jobs, OTHER, "mail", 4);
            long later = jobs.add(
                            NewJob.of(WORK, 9).queue("mail").runAt(Instant.now().plusSeconds(900)))
                    .id();
            long keyed = jobs.add(NewJob.of(WORK, 10).queue("mail").key("k")).id();
            JobQuery waiting = JobQuery.in(JobState.WAITING).queue("mail");
            assertThat(admin.moveAll(waiting.kind("work"), "bulk")).isEqualTo(5);
            assertThat(admin.find(mail.get(0)).orElseThrow().queue()).isEqualTo("bulk");
            assertThat(admin.find(keyed).orElseThrow().queue()).isEqualTo("mail");
            assertThat(admin.runNowAll(JobQuery.in(JobState.PLANNED).queue("mail")))
                    .isEqualTo(1);
            assertThat(admin.find(later).orElseThrow().state()).isEqualTo(JobState.WAITING);
            assertThat(admin.cancelAll(waiting.kind("other"))).isEqualTo(4);
            assertThat(admin.count(JobQuery.in(JobState.CANCELLED))).isEqualTo(4);
            assertThat(admin.count(waiting)).isEqualTo(2);
        }
    }

    /** Kind: a change of all that match has a bound, whatever is added or ends while it goes on. */
    @Test
    void changes_besideAProducerThatGoesOn_endAndLeaveItsJobs() {
        try (Jobs jobs = program()) {
            JobAdmin admin = jobs.admin();
            Instant later = Instant.now().plusSeconds(900);
            for (Action action : List.of(Action.CANCEL, Action.MOVE, Action.RUN_NOW)) {
                boolean isPlanned = action == Action.RUN_NOW;
                NewJob<Integer> job = NewJob.of(WORK, 1).queue("busy");
                NewJob<Integer> added = isPlanned ? job.runAt(later) : job;
                jobs.addAll(Collections.nCopies(300, added));
                JobQuery query = JobQuery.in(isPlanned ? JobState.PLANNED : JobState.WAITING)
                        .queue("busy");
                BulkChange change = new BulkChange(action, query, action == Action.MOVE ? "calm" : null);
                int[] steps = {0};
                long changed = admin.change(change, (soFar, left) -> {
                    jobs.addAll(Collections.nCopies(10, added));
                    return ++steps[0] < 1_000;
                });
                assertThat(changed).as("%s", action).isEqualTo(300);
                assertThat(admin.count(query)).as("%s", action).isEqualTo(10L * steps[0]);
                database.execute("DELETE FROM howdah_internal.job");
            }
        }
    }

    @Test
    void changes_thatMakeNoSense_areRefused() {
        try (Jobs jobs = program()) {
            assertThatThrownBy(() -> jobs.admin().retryAll(JobQuery.in(JobState.WAITING)))
                    .isInstanceOf(JobsException.class)
                    .hasMessage(
                            "the action retry for jobs in state waiting: it is for those in state failed or cancelled");
            assertThatThrownBy(() -> jobs.admin().cancelAll(JobQuery.in(JobState.DONE)))
                    .hasMessageContaining("it is for those in state waiting or planned or retrying");
            assertThatThrownBy(() -> jobs.admin().moveAll(JobQuery.in(JobState.WAITING), ""))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void changeJobs_inSql_commitsInSteps() throws Exception {
        try (Jobs jobs = program();
                Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            add(jobs, WORK, "default", 2_500);
            try (var row = statement.executeQuery("CALL howdah.change_jobs('cancel', 'waiting', kind => 'work')")) {
                assertThat(row.next()).isTrue();
                assertThat(row.getLong("changed")).isEqualTo(2_500);
            }
            assertThat(database.value("SELECT count(DISTINCT xmin::text) FROM howdah_internal.failed"))
                    .isEqualTo("3");
            assertThatThrownBy(() -> statement.execute("CALL howdah.change_jobs('mend', 'failed')"))
                    .hasMessageContaining(
                            "the action is \"mend\": it has to be retry, run_now, cancel, move or delete");
            assertThatThrownBy(
                            () -> statement.execute("CALL howdah.change_jobs('retry', 'failed', to_queue => 'other')"))
                    .hasMessageContaining("it is for the action move");
        }
    }
}
