package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.query.JobState;
import dev.howdah.job.wait.Awaited;
import dev.howdah.job.wait.Child;
import dev.howdah.job.wait.Emission;
import dev.howdah.job.wait.EventWait;
import dev.howdah.job.wait.JobSuspended;
import dev.howdah.job.wait.SignalResult;
import dev.howdah.job.wait.Wait;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Handlers that wait for the first of several. */
@PostgresTest
class JobAnyTest {
    private static final Kind<String> WORK = Kind.of("work", String.class);
    private static final Kind<Integer> PART = Kind.of("part", Integer.class);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Wait.OfSignal<Integer> DONE = Wait.signal("done", Integer.class);
    private static final Wait.OfSignal<String> ERROR = Wait.signal("error", String.class);

    private final JobsDatabase database;
    private final List<String> ran = new CopyOnWriteArrayList<>();
    private final AtomicInteger runs = new AtomicInteger();

    JobAnyTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    private ManualJobs manual(Handler<String> handler) {
        return database.jobs()
                .handle(WORK, (text, job) -> {
                    runs.incrementAndGet();
                    handler.handle(text, job);
                })
                .handle(PART, (number, job) -> job.result(number))
                .manual();
    }

    private static JobState state(ManualJobs manual, long id) {
        return manual.jobs().admin().find(id).orElseThrow().state();
    }

    @Test
    void firstSignal_endsTheWait_andTheOthersAreGivenUp() {
        try (ManualJobs manual = manual((text, job) -> {
            Awaited first = job.awaitAny("result", DONE, ERROR, Wait.time(HOUR));
            ran.add(first.index() + " " + first.signal(ERROR).payload());
            job.sleep("pause", HOUR);
        })) {
            long id = manual.jobs().add(WORK, "x");
            manual.runDue();
            assertThat(manual.jobs().admin().why(id).get(0).code()).isEqualTo("awaits-any");
            assertThat(manual.jobs().signal(id, "other", 1)).isEqualTo(SignalResult.KEPT);
            manual.runDue();
            assertThat(runs).hasValue(1);
            manual.jobs().signal(id, "error", "broken");
            manual.runDue();
            // The one that came later is read by nothing.
            manual.jobs().signal(id, "done", 7);
            JobWaitClock.pass(database, HOUR);
            manual.runDue();
            assertThat(state(manual, id)).isEqualTo(JobState.DONE);
            assertThat(manual.jobs().signal(id, "done", 8)).isEqualTo(SignalResult.ENDED);
        }
        assertThat(ran).containsExactly("1 broken", "1 broken");
        assertThat(database.number("SELECT count(*) FROM howdah_internal.job_signal WHERE read IS NULL"))
                .isEqualTo(2);
    }

    @Test
    void time_endsTheWait_andALaterSignalIsForTheNextOne() {
        try (ManualJobs manual = manual((text, job) -> {
            ran.add("" + job.awaitAny("result", DONE, Wait.time(HOUR)).index());
            ran.add("then " + job.awaitAny("result", DONE).signal(DONE).payload());
        })) {
            long id = manual.jobs().add(WORK, "x");
            manual.runDue();
            JobWaitClock.pass(database, HOUR);
            manual.runDue();
            assertThat(ran).containsExactly("1");
            manual.jobs().signal(id, "done", 7);
            manual.runDue();
            assertThat(state(manual, id)).isEqualTo(JobState.DONE);
        }
        assertThat(ran).containsExactly("1", "1", "then 7");
    }

    /** Of several that have ended the first in the order of the arguments counts, here a child before a signal. */
    @Test
    void child_endsTheWait() {
        try (ManualJobs manual = manual((text, job) -> {
            List<Child> children =
                    job.children("part", List.of(NewJob.of(PART, 1).delay(HOUR), NewJob.of(PART, 2)));
            job.sleep("pause", Duration.ofMinutes(1));
            Awaited first = job.awaitAny("one", Wait.child(children.get(0)), Wait.child(children.get(1)), DONE);
            ran.add(first.index() + " " + job.awaitChild(children.get(first.index()), Integer.class));
            ran.add("" + job.awaitAny("all", Wait.child(children.get(0))).index());
        })) {
            long id = manual.jobs().add(WORK, "x");
            manual.jobs().signal(id, "done", 7);
            manual.runDue();
            JobWaitClock.pass(database, Duration.ofMinutes(2));
            manual.runDue();
            assertThat(state(manual, id)).isEqualTo(JobState.SUSPENDED);
            JobWaitClock.pass(database, HOUR);
            manual.runDue();
            assertThat(state(manual, id)).isEqualTo(JobState.DONE);
        }
        assertThat(ran).containsExactly("1 2", "1 2", "0");
        assertThat(database.number("SELECT count(*) FROM howdah_internal.job_signal WHERE read IS NULL"))
                .isEqualTo(1);
    }

    @Test
    void unreadableSignal_isSetAside_andTheWaitGoesOn() {
        try (ManualJobs manual = manual((text, job) -> ran.add(
                "" + job.awaitAny("result", DONE, ERROR, Wait.time(HOUR)).index()))) {
            long id = manual.jobs().add(WORK, "x");
            manual.runDue();
            manual.jobs().signal(id, "done", "no number");
            manual.runDue();
            assertThat(state(manual, id)).isEqualTo(JobState.SUSPENDED);
            assertThat(manual.jobs().admin().signals(id, 10))
                    .singleElement()
                    .satisfies(signal -> assertThat(signal.problem()).isNotNull());
            manual.jobs().signal(id, "error", "x");
            manual.runDue();
            assertThat(state(manual, id)).isEqualTo(JobState.DONE);
        }
        assertThat(ran).containsExactly("1");
    }

    @Test
    void event_endsTheWait_andIsReadOnce() {
        EventWait<String> arrived = EventWait.of("arrived", String.class).key("train 7");
        Wait.OfEvent<String> bonn = Wait.event(arrived.containing("\"Bonn\""));
        Wait.OfEvent<String> anywhere = Wait.event(arrived);
        try (ManualJobs manual = manual((text, job) -> {
            Awaited first = job.awaitAny("place", DONE, bonn, Wait.time(HOUR));
            ran.add(first.index() + " " + first.event(bonn).payload());
            ran.add("then " + job.awaitAny("place", anywhere, DONE).index());
        })) {
            long id = manual.jobs().add(WORK, "x");
            manual.runDue();
            manual.jobs().emit(Emission.of("arrived", "Bonn").key("train 8"));
            manual.jobs().emit(Emission.of("arrived", "Cologne").key("train 7"));
            manual.runDue();
            assertThat(runs).hasValue(1);
            manual.jobs().emit(Emission.of("arrived", "Bonn").key("train 7"));
            manual.runDue();
            // The one that came before is met by the second wait at once; the first has read its own.
            assertThat(state(manual, id)).isEqualTo(JobState.DONE);
        }
        assertThat(ran).containsExactly("1 Bonn", "then 0");
        assertThat(
                        database.number(
                                "SELECT count(*) FROM howdah_internal.job_record WHERE event_key IS NOT NULL AND closed IS NULL"))
                .isEqualTo(0);
    }

    @Test
    void onlyNewEvent_countsFromTheBeginningOfTheWait() {
        Wait.OfEvent<String> next =
                Wait.event(EventWait.of("arrived", String.class).onlyNew());
        try (ManualJobs manual = manual((text, job) -> {
            job.sleep("pause", HOUR);
            ran.add("" + job.awaitAny("place", next, DONE).event(next).payload());
        })) {
            long id = manual.jobs().add(WORK, "x");
            manual.runDue();
            manual.jobs().emit(Emission.of("arrived", "Bonn"));
            JobWaitClock.pass(database, HOUR);
            manual.runDue();
            assertThat(state(manual, id)).isEqualTo(JobState.SUSPENDED);
            // A signal that cannot be read is set aside, and the wait goes on from where it began.
            manual.jobs().emit(Emission.of("arrived", "Cologne"));
            manual.jobs().signal(id, "done", "no number");
            manual.runDue();
            assertThat(state(manual, id)).isEqualTo(JobState.DONE);
        }
        assertThat(ran).containsExactly("Cologne");
    }

    @Test
    void onlyNewEvents_afterTheLookOfTheHandler_meetIt_beforeTheWaitIsWritten() {
        EventWait<String> arrived = EventWait.of("arrived", String.class).onlyNew();
        Wait.OfEvent<String> bonn = Wait.event(arrived.containing("\"Bonn\""));
        Wait.OfEvent<String> ulm = Wait.event(arrived.containing("\"Ulm\""));
        try (ManualJobs manual = manual((text, job) -> {
            try {
                ran.add("" + job.awaitAny("place", DONE, bonn, ulm).index());
            } catch (JobSuspended e) {
                database.text("SELECT howdah.emit('arrived', '', '\"" + text + "\"')");
                throw e;
            }
        })) {
            database.text("SELECT howdah.emit('arrived', '', '\"Bonn\"')");
            long one = manual.jobs().add(WORK, "Bonn");
            manual.runDue();
            assertThat(state(manual, one)).isEqualTo(JobState.DONE);
            long two = manual.jobs().add(WORK, "Ulm");
            manual.runDue();
            assertThat(state(manual, two)).isEqualTo(JobState.DONE);
        }
        assertThat(ran).containsExactly("1", "2");
    }

    @Test
    void loop_leavesNoRecordsOfEventsOfEndedWaits() {
        Wait.OfEvent<String> arrived = Wait.event(EventWait.of("arrived", String.class));
        Wait.OfEvent<String> left = Wait.event(EventWait.of("left", String.class));
        Wait.OfTime time = Wait.time(HOUR);
        String among = "SELECT count(*) FROM howdah_internal.job_record WHERE type = 'among'";
        try (ManualJobs manual = manual((text, job) -> {
            for (int i = 0; i < 6; i++)
                ran.add(i + " "
                        + job.awaitAny("next", DONE, arrived, left, time).index());
            job.sleep("pause", HOUR);
        })) {
            long id = manual.jobs().add(WORK, "x");
            for (int i = 0; i < 6; i++) {
                manual.runDue();
                assertThat(database.number(among)).isEqualTo(2);
                if (i % 3 == 0) manual.jobs().signal(id, "done", i);
                else if (i % 3 == 1) manual.jobs().emit(Emission.of("left", "x"));
                else JobWaitClock.pass(database, HOUR);
            }
            manual.runDue();
            assertThat(database.number(among)).isZero();
            assertThat(ran).endsWith("0 0", "1 2", "2 3", "3 0", "4 2", "5 3");
        }
    }

    /** The events of before the look that set the signal aside count, those of before the wait do not. */
    @Test
    void unreadableSignal_keepsTheBeginningOfTheEvents() {
        Wait.OfEvent<String> arrived =
                Wait.event(EventWait.of("arrived", String.class).onlyNew());
        try (ManualJobs manual = manual((text, job) -> {
            ran.add("" + job.awaitAny("next", DONE, arrived).index());
            job.awaitAny("last", DONE);
        })) {
            long id = manual.jobs().add(WORK, "x");
            database.text("SELECT howdah.emit('arrived', '', '\"early\"')");
            manual.runDue();
            database.text("SELECT howdah.emit('arrived', '', '\"in time\"')");
            manual.jobs().signal(id, "done", "no number");
            manual.runDue();
            assertThat(state(manual, id)).isEqualTo(JobState.SUSPENDED);
            assertThat(manual.jobs().admin().signals(id, 10))
                    .singleElement()
                    .satisfies(signal -> assertThat(signal.problem()).isNotNull());
        }
        assertThat(ran).containsExactly("1");
    }

    @Test
    void otherJob_endsTheWait_andItsEndStays() {
        List<Long> others = new CopyOnWriteArrayList<>();
        try (ManualJobs manual = manual((text, job) -> {
            Wait.OfJob<Integer> one = Wait.job(others.get(0), Integer.class);
            Wait.OfJob<Integer> two = Wait.job(others.get(1), Integer.class);
            Awaited first = job.awaitAny("first", one, two, DONE);
            ran.add(first.index() + " " + first.result(two));
            job.sleep("pause", HOUR);
            Awaited failed = job.awaitAny("second", one, DONE);
            ran.add("cancelled " + failed.is(one));
            failed.result(one);
        })) {
            others.add(manual.jobs()
                    .add(NewJob.of(PART, 1).delay(Duration.ofDays(1)))
                    .id());
            others.add(manual.jobs()
                    .add(NewJob.of(PART, 2).delay(Duration.ofMinutes(1)))
                    .id());
            long id = manual.jobs().add(WORK, "x");
            manual.runDue();
            assertThat(runs).hasValue(1);
            JobWaitClock.pass(database, Duration.ofMinutes(2));
            manual.runDue();
            manual.jobs().admin().cancel(others.get(0));
            JobWaitClock.pass(database, HOUR);
            manual.runDue();
            assertThat(manual.jobs().admin().find(id).orElseThrow().error())
                    .contains("job " + others.get(0) + ", waited for as \"second\", was cancelled");
        }
        assertThat(ran).containsExactly("1 2", "1 2", "cancelled true");
        assertThat(database.number("SELECT count(*) FROM howdah_internal.awaited"))
                .isEqualTo(0);
    }

    @Test
    void jobThatIsNotThere_isRefused() {
        try (ManualJobs manual = manual((text, job) -> job.awaitAny("it", Wait.job(4711, Integer.class), DONE))) {
            long id = manual.jobs().add(WORK, "x");
            manual.runDue();
            assertThat(manual.jobs().admin().find(id).orElseThrow().error()).contains("there is no job 4711");
        }
    }
}
