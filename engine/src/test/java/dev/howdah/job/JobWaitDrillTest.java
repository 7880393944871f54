package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import dev.howdah.job.wait.NewSignal;
import dev.howdah.job.wait.SignalResult;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Handlers that sleep, and wait for signals and children, while their nodes are killed: each recorded step has its effect once, each signal is read once,
 * and each child is there once.
 */
@PostgresTest
class JobWaitDrillTest {
    /** Of a job: one effect before its sleep, one behind it, one for each signal, one behind a failure, one of each child, and the last. */
    private static final int EFFECTS = 4 + JobProcess.SIGNALS + JobProcess.CHILDREN;

    private JobsDatabase database;

    JobWaitDrillTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    @Test
    void effects_whileNodesAreKilled_areOncePerRecordedStep() throws Exception {
        drill(20, 2, 0, () -> {});
    }

    /** Of other sizes in {@code .ci/waits}. */
    @Test
    @Tag("long")
    void effects_whileNodesAndTheServerAreKilled_areOncePerRecordedStep() throws Exception {
        // What it has said to be committed is still there after a crash.
        TestServer server =
                TestServer.with(Map.of("fsync", "on", "synchronous_commit", "on", "full_page_writes", "on"));
        try (TestDatabase own = TestDatabase.create(server)) {
            database = JobsDatabase.in(own);
            drill(
                    Integer.getInteger("howdah.drill.jobs", 400),
                    Integer.getInteger("howdah.drill.kills", 25),
                    Integer.getInteger("howdah.drill.restarts", 2),
                    server::crash);
        }
    }

    /** @param crash of the server, so often as there are restarts, at even intervals */
    private void drill(int jobs, int kills, int restarts, Runnable crash) throws Exception {
        database.execute("CREATE TABLE effect (job bigint, what text, at bigint GENERATED ALWAYS AS IDENTITY)");
        Deque<JobProcess> nodes = new ArrayDeque<>();
        try (Jobs producer = database.jobs().start()) {
            List<Long> ids = producer.addAll(IntStream.range(0, jobs)
                    .mapToObj(i -> NewJob.of(JobProcess.LASTING, "x"))
                    .toList());
            nodes.add(JobProcess.at(database.uri(), 8));
            nodes.add(JobProcess.at(database.uri(), 8));
            List<Long> signals = new ArrayList<>();
            for (int i = 0; i < JobProcess.SIGNALS; i++) {
                List<Long> round = new ArrayList<>(ids);
                Collections.shuffle(round, new Random(i));
                signals.addAll(round);
            }
            int sent = 0;
            for (int kill = 1; kill <= kills; kill++) {
                int upto = signals.size() * kill / (kills + 1);
                for (; sent < upto; sent++) send(producer, signals.get(sent), sent);
                long seen = database.number("SELECT count(*) FROM effect");
                long reachable = Math.min(seen + 1, reachable(jobs));
                JobsDatabase.awaiting("the nodes go on")
                        .until(() -> database.number("SELECT count(*) FROM effect") >= reachable);
                if (kill * restarts / kills > (kill - 1) * restarts / kills) crash.run();
                nodes.element().kill();
                nodes.remove().close();
                nodes.add(JobProcess.at(database.uri(), 8));
            }
            for (; sent < signals.size(); sent++) send(producer, signals.get(sent), sent);
            JobsDatabase.awaiting("all jobs have ended")
                    .until(() -> database.number("SELECT count(*) FROM effect WHERE what = 'last 3'") == jobs
                            && database.number("SELECT count(*) FROM howdah.jobs WHERE state = 'done'")
                                    == jobs * (1 + JobProcess.CHILDREN));
            assertThat(producer.admin().list(JobQuery.in(JobState.FAILED)).jobs())
                    .isEmpty();
        } finally {
            nodes.forEach(JobProcess::close);
        }
        System.out.println(
                database.text("SELECT format('%s jobs, %s kills, %s restarts: %s effects, %s records, %s runs', " + jobs
                        + ", " + kills + ", " + restarts
                        + ", (SELECT count(*) FROM effect), (SELECT count(*) FROM howdah_internal.job_record),"
                        + " (SELECT sum(jobs) FROM howdah_internal.batch))"));
        assertThat(database.text("SELECT count(*) || ' ' || count(DISTINCT (job, what)) FROM effect"))
                .isEqualTo(jobs * EFFECTS + " " + jobs * EFFECTS);
        assertThat(database.number("SELECT count(*) FROM howdah_internal.job_signal WHERE read IS NULL"))
                .isZero();
        assertThat(database.number(
                        "SELECT count(DISTINCT signal) FROM howdah_internal.job_record WHERE signal IS NOT NULL"))
                .isEqualTo((long) jobs * JobProcess.SIGNALS);
        assertThat(database.text("SELECT count(*) || ' ' || count(DISTINCT child) FROM howdah_internal.child_end"))
                .isEqualTo(jobs * JobProcess.CHILDREN + " " + jobs * JobProcess.CHILDREN);
    }

    /** As many effects as there are without another signal. */
    private long reachable(int jobs) {
        return 2L * jobs + database.number("SELECT count(*) FROM howdah_internal.job_signal");
    }

    private static void send(Jobs producer, long job, int number) {
        NewSignal signal = NewSignal.to(job, "m", number).id("signal " + number);
        // As a sender that has not got the answer: by its id it counts once.
        JobsDatabase.awaiting("the server takes a signal").until(() -> {
            try {
                return producer.signal(signal) != SignalResult.UNKNOWN;
            } catch (JobsException e) {
                return false;
            }
        });
        if (number % 3 == 0) producer.signal(signal);
    }
}
