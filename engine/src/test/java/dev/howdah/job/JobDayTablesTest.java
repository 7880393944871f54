package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import org.junit.jupiter.api.Test;

/** The tables of the days ahead are missing, as after days in which the machine slept. */
@PostgresTest
class JobDayTablesTest {
    private static final Kind<String> WORK = Kind.of("work", String.class);

    private final JobsDatabase database;

    JobDayTablesTest(TestDatabase database) {
        this.database = JobsDatabase.in(database);
    }

    private void dropDays() {
        database.execute("DO $$ DECLARE day regclass; BEGIN"
                + " FOR day IN SELECT i.inhrelid::regclass FROM pg_inherits i WHERE i.inhparent = 'howdah_internal.batch'::regclass"
                + " LOOP EXECUTE 'DROP TABLE ' || day; END LOOP; END $$");
    }

    @Test
    void claim_findsNoTableOfTheDay_makesIt() {
        try (Jobs jobs = database.jobs().handle(WORK, (text, job) -> {}).start()) {
            database.awaitLetters(jobs.add(WORK, "before"), "d");
            dropDays();
            database.awaitLetters(jobs.add(WORK, "after"), "d");
            assertThat(database.number(
                            "SELECT count(*) FROM pg_inherits WHERE inhparent = 'howdah_internal.batch'::regclass"))
                    .isGreaterThan(3);
        }
    }

    @Test
    void claimWithinALimit_findsNoTableOfTheDay_makesIt() {
        try (Jobs jobs = database.jobs().handle(WORK, (text, job) -> {}).start()) {
            database.awaitLetters(jobs.add(NewJob.of(WORK, "before").group("g")).id(), "d");
            dropDays();
            database.awaitLetters(jobs.add(NewJob.of(WORK, "after").group("g")).id(), "d");
        }
    }
}
