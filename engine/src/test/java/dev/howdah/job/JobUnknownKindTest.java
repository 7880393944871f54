package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import org.junit.jupiter.api.Test;

/** Jobs of kinds that no node works do not hold up those behind them (faults D). */
@PostgresTest
class JobUnknownKindTest {
    private static final Kind<String> WORK = Kind.of("work", String.class);

    private final JobsDatabase database;

    JobUnknownKindTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    @Test
    void jobs_ofUnknownKinds_moveInBulk() {
        // Two kinds in two priorities, and jobs that are planned; one plain job behind them.
        database.execute(
                "SELECT count(*) FROM howdah.add_many('default', 'strange', array_fill('1'::json, ARRAY[30000]))");
        database.execute(
                "SELECT count(*) FROM howdah.add_many('default', 'odd', array_fill('1'::json, ARRAY[20000]), priority => -3)");
        database.execute("SELECT howdah.add('default', 'strange', '1', delay => '1 h')");
        try (Jobs jobs = database.jobs().handle(WORK, (payload, job) -> {}).start()) {
            long began = System.nanoTime();
            long plain = jobs.add(WORK, "x");
            database.awaitLetters(plain, "d");
            System.out.printf("a job behind 50,000 of unknown kinds: %d ms%n", (System.nanoTime() - began) / 1_000_000);
            JobsDatabase.awaiting("all are in lanes of their kinds")
                    .until(() -> database.number(
                                    "SELECT count(*) FROM howdah_internal.job j JOIN howdah_internal.lane l ON l.id = j.lane"
                                            + " WHERE l.kind = j.kind")
                            == 50_000);
        }
        // Few of them were taken by claims.
        assertThat(database.ended("u")).isBetween(1L, 15_000L);
        assertThat(
                        database.number(
                                "SELECT count(*) FROM howdah_internal.job j JOIN howdah_internal.lane l ON l.id = j.lane WHERE l.kind IS NULL"))
                .isEqualTo(1);
        assertThat(
                        database.text(
                                "SELECT string_agg(l.kind || ' ' || p.priority, ', ' ORDER BY l.kind, p.priority)"
                                        + " FROM howdah_internal.lane l JOIN howdah_internal.lane_priority p ON p.lane = l.id WHERE l.kind IS NOT NULL"))
                .contains("odd -3", "strange 0");
        try (Jobs later = database.jobs()
                .handle("strange", Integer.class, (payload, job) -> {})
                .handle("odd", Integer.class, (payload, job) -> {})
                .start()) {
            assertThat(later.node()).isPositive();
            JobsDatabase.awaiting("a node that knows them works them").until(() -> database.ended("d") == 50_001);
        }
        assertThat(database.timesDone()).containsExactly("1");
    }
}
