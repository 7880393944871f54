package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.internal.store.JobSql;
import dev.howdah.spi.EncryptedPayloadCodec;
import dev.howdah.spi.JacksonPayloadCodec;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** A kind that was renamed: its handler does what was added under the names that it had. */
@PostgresTest
class JobRenamedKindTest {
    private static final Kind<String> OLD = Kind.of("send", String.class).queue("mails");
    private static final Kind<String> NEW =
            Kind.of("welcome", String.class).queue("mails").formerly("send", "greet");

    private final TestDatabase test;
    private final JobsDatabase database;

    JobRenamedKindTest(TestDatabase database) {
        this.test = database;
        this.database = JobsDatabase.in(database);
    }

    @Test
    void jobsOfFormerNames_areDone_evenEncryptedOnes_inTheirOwnTransactionsToo() {
        EncryptedPayloadCodec codec = EncryptedPayloadCodec.of(
                JacksonPayloadCodec.of(new ObjectMapper()), "key", new SecretKeySpec(new byte[32], "AES"));
        List<String> done = new CopyOnWriteArrayList<>();
        try (ManualJobs jobs = database.jobs()
                .codec(codec)
                .handleInTransaction(NEW, (name, job, connection) -> done.add(job.kind() + ' ' + name))
                .manual()) {
            jobs.jobs().add(OLD, "ann");
            jobs.jobs().add(Kind.of("greet", String.class).queue("mails"), "bob");
            jobs.jobs().add(NEW, "eve");
            assertThat(jobs.runDue()).isEqualTo(3);
        }
        assertThat(done).containsExactlyInAnyOrder("send ann", "greet bob", "welcome eve");
    }

    @Test
    void scheduleOfAFormerName_isNamedAtTheStart_andByWhy_unlessAHandlerKnowsIt() {
        String unserved = JobSql.NODE.statement("schedule_list_unserved").jdbc();
        String why = "SELECT string_agg(code, ' ') FROM howdah.why_schedule('nightly')";
        Kind<String> forgetful = Kind.of("welcome", String.class).queue("mails");
        try (Jobs jobs = database.jobs().handle(forgetful, (name, job) -> {}).start()) {
            jobs.schedule(Schedule.every("nightly", Duration.ofDays(1)), NewJob.of(OLD, "ann"));
            assertThat(database.rows(unserved)).singleElement().asString().contains("nightly", "send", "mails");
            assertThat(database.rows(why)).containsExactly(List.of("not-due no-handler"));
        }
        try (Jobs jobs = database.jobs().handle(NEW, (name, job) -> {}).start()) {
            assertThat(database.rows(unserved)).isEmpty();
            assertThat(database.rows(why)).containsExactly(List.of("not-due"));
            assertThat(jobs.node()).isPositive();
        }
    }

    @Test
    void keptSessions_thatHaveTheNameOfTheirDriverAlone_areNamed() {
        PGSimpleDataSource unnamed = new PGSimpleDataSource();
        unnamed.setPortNumbers(new int[] {test.server().port()});
        unnamed.setDatabaseName(test.name());
        unnamed.setUser("postgres");
        String names = "SELECT application_name FROM pg_stat_activity WHERE datname = current_database()";
        try (Jobs jobs = Jobs.on(unnamed).handle(OLD, (name, job) -> {}).start()) {
            assertThat(jobs.node()).isPositive();
            assertThat(database.rows(names)).contains(List.of("howdah"));
        }
    }

    @Test
    void formerName_thatIsTaken_isRefused() {
        assertThatThrownBy(() -> NEW.formerly("welcome")).hasMessageContaining("has the name welcome already");
        assertThatThrownBy(() -> NEW.formerly("send")).hasMessageContaining("has the name send already");
        assertThatThrownBy(() -> database.jobs().handle(OLD, (name, job) -> {}).handle(NEW, (name, job) -> {}))
                .hasMessageContaining("the kind send has a handler already");
    }
}
