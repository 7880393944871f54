package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Nodes that die, freeze, or lose sessions while they work on log queues. */
@Tag("long")
@PostgresTest
class LogQueueDeathTest {
    private static final Kind<String> WORK = JobProcess.WORK;

    private final JobsDatabase database;

    LogQueueDeathTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    @BeforeEach
    void make() {
        try (Jobs jobs = database.jobs().start()) {
            jobs.admin().logQueues().create("default", Duration.ZERO);
        }
    }

    private List<Long> add(String payload, int count) {
        try (Jobs producer = database.jobs().start()) {
            List<NewJob<String>> jobs = new ArrayList<>();
            for (int i = 0; i < count; i++) jobs.add(NewJob.of(WORK, payload));
            return producer.addAll(jobs);
        }
    }

    private boolean nothingIsOpen() {
        return database.number(
                        "SELECT (SELECT count(*) FROM howdah_internal.log_lease l WHERE l.node IS NOT NULL)"
                                + " + (SELECT count(*) FROM howdah_internal.batch b WHERE b.ended IS NULL)"
                                + " + (SELECT count(*) FROM howdah_internal.job) + (SELECT sum(r.waiting) FROM howdah.log_readers() r)")
                == 0;
    }

    @Test
    void node_killed_itsJobsRunElsewhere() {
        List<Long> hung = add("hang", 3);
        List<Long> fine = add("fine", 200);
        try (JobProcess doomed = JobProcess.at(database.uri(), 3)) {
            for (long job : hung) doomed.awaitSaid("began " + job + " 1");
            doomed.kill();
            Map<Long, Integer> attempts = new ConcurrentHashMap<>();
            try (Jobs survivor = database.jobs()
                    .handle(WORK, (payload, job) -> attempts.put(job.id(), job.attempt()))
                    .start()) {
                JobsDatabase.awaiting("all have run").until(() -> attempts.size() == 203);
                JobsDatabase.awaiting("all is written").until(this::nothingIsOpen);
                assertThat(survivor.node()).isPositive();
            }
            for (long job : hung) assertThat(attempts).containsEntry(job, 2);
            assertThat(attempts).containsKeys(fine.toArray(Long[]::new));
        }
        assertThat(database.number("SELECT count(*) FROM howdah_internal.failed"))
                .isZero();
    }

    @Test // SIGSTOP past its death: what it says when it goes on is refused
    void node_frozenPastItsDeath_isRefusedAndComesBackAsAnother() {
        List<Long> hung = add("hang", 2);
        try (JobProcess frozen = JobProcess.at(database.uri(), 3)) {
            for (long job : hung) frozen.awaitSaid("began " + job + " 1");
            frozen.freeze();
            Set<Long> ran = ConcurrentHashMap.newKeySet();
            try (Jobs survivor = database.jobs()
                    .handle(WORK, (payload, job) -> ran.add(job.id()))
                    .start()) {
                JobsDatabase.awaiting("they ran elsewhere").until(() -> ran.containsAll(hung));
                frozen.thaw();
                for (long job : hung) frozen.awaitSaid("interrupted " + job);
                JobsDatabase.awaiting("it is another node")
                        .until(() -> database.number("SELECT max(id) FROM howdah_internal.node") > survivor.node());
            }
            List<Long> more = add("fine", 2);
            for (long job : more) frozen.awaitSaid("ended " + job);
            JobsDatabase.awaiting("all is written").until(this::nothingIsOpen);
        }
        assertThat(database.number("SELECT count(*) FROM howdah_internal.failed"))
                .isZero();
    }

    @Test // each of its sessions in turn, and all at once: nothing is lost, nothing stays leased
    void node_losesSessions_nothingIsLostOrStaysOpen() {
        Set<Long> ran = ConcurrentHashMap.newKeySet();
        List<Long> added = new ArrayList<>();
        try (Jobs jobs = database.jobs()
                .handle(WORK, (payload, job) -> {
                    ran.add(job.id());
                    new CountDownLatch(1).await(job.id() % 5, TimeUnit.MILLISECONDS);
                })
                .start()) {
            for (int round = 0; round < 40; round++) {
                added.addAll(add("fine", 50));
                String which = switch (round % 4) {
                    case 0 -> "query LIKE '%howdah.log_%'";
                    case 1 -> "query NOT LIKE '%howdah.log_%'";
                    case 2 -> "true";
                    default -> "random() < 0.3";
                };
                database.execute(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
                                + " AND pid <> pg_backend_pid() AND application_name = 'jobs' AND " + which);
            }
            JobsDatabase.awaiting("all have run").until(() -> ran.size() == added.size());
            JobsDatabase.awaiting("all is written").until(this::nothingIsOpen);
            assertThat(jobs.node()).isPositive();
        }
        assertThat(ran).containsExactlyInAnyOrderElementsOf(added);
        assertThat(database.number("SELECT count(*) FROM howdah_internal.failed"))
                .isZero();
    }
}
