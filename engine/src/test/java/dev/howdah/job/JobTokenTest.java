package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.job.internal.maintain.HistoryCleaner;
import dev.howdah.job.query.JobState;
import dev.howdah.job.wait.SentSignal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Tokens of signals: one signal to one job, by a secret alone. */
@PostgresTest
class JobTokenTest {
    private static final Kind<String> WORK = Kind.of("work", String.class);
    private static final Duration DAY = Duration.ofDays(1);

    private final JobsDatabase database;
    private final List<String> tokens = new CopyOnWriteArrayList<>();
    private final List<String> read = new ArrayList<>();

    JobTokenTest(TestDatabase created) {
        database = JobsDatabase.in(created);
    }

    private ManualJobs manual(Handler<String> handler) {
        return database.jobs().handle(WORK, handler).manual();
    }

    /** Gives tokens away in a step, and reads two signals. */
    private void ask(String text, Job job) throws Exception {
        job.step("mail", Void.class, () -> {
            for (int i = 0; i < 3; i++) tokens.add(job.signalToken("approval", DAY));
            tokens.add(job.signalToken("veto", DAY));
            return null;
        });
        for (int i = 0; i < 2; i++)
            read.add(i + " " + job.await("approval", String.class, DAY).map(each -> each.payload()));
    }

    private String use(String token, String payload) {
        return database.text("SELECT howdah_internal.token_use(sha256('" + token + "'), '" + payload + "')");
    }

    private static JobState state(ManualJobs manual, long id) {
        return manual.jobs().admin().find(id).orElseThrow().state();
    }

    @Test
    void token_sendsOneSignal_andEndsTheOthersOfItsName() {
        try (ManualJobs manual = manual(this::ask)) {
            long id = manual.jobs().add(WORK, "x");
            manual.runDue();
            assertThat(tokens).hasSize(4).doesNotHaveDuplicates().allMatch(each -> each.matches("[0-9a-f]{40}"));
            assertThat(use("no such token", "1")).isEqualTo("unknown");
            assertThat(use(tokens.get(1), "\"yes\"")).isEqualTo("kept");
            for (String each : tokens.subList(0, 3))
                assertThat(use(each, "\"no\"")).isEqualTo("over");
            manual.runDue();
            assertThat(read).containsExactly("0 Optional[yes]");
            assertThat(state(manual, id)).isEqualTo(JobState.SUSPENDED);
            assertThat(tokens).hasSize(4);
            assertThat(database.text("SELECT is_open FROM howdah_internal.token_find(sha256('" + tokens.get(3) + "'))"))
                    .isEqualTo("t");
            manual.jobs().admin().cancel(id);
            assertThat(use(tokens.get(3), "1")).isEqualTo("over");
            assertThat(manual.jobs().admin().signals(id, 10))
                    .extracting(SentSignal::name)
                    .containsExactly("approval");
        }
    }

    @Test
    void token_thatIsMadeAfterTheFirstWasUsed_isANewQuestion() {
        try (ManualJobs manual = manual((text, job) -> {
            for (int round = 1; round <= 2; round++) {
                job.step("mail " + round, Void.class, () -> {
                    tokens.add(job.signalToken("approval", DAY));
                    return null;
                });
                read.add(job.await("approval", String.class, DAY)
                        .map(each -> each.payload())
                        .orElse("none"));
            }
        })) {
            manual.jobs().add(WORK, "x");
            manual.runDue();
            assertThat(use(tokens.get(0), "\"no\"")).isEqualTo("kept");
            manual.runDue();
            assertThat(use(tokens.get(1), "\"yes\"")).isEqualTo("kept");
            manual.runDue();
            assertThat(read).endsWith("no", "yes");
        }
    }

    @Test
    void token_whoseTimeIsOver_sendsNothing_andIsForgottenAWeekLater() throws Exception {
        try (ManualJobs manual = manual(this::ask)) {
            manual.jobs().add(WORK, "x");
            manual.runDue();
            database.execute("UPDATE howdah_internal.job_token SET until = now()");
            assertThat(use(tokens.get(0), "1")).isEqualTo("over");
            database.execute("UPDATE howdah_internal.job_token SET until = now() - interval '8 days'");
            new HistoryCleaner(ConnectionSource.of(database.dataSource()), 7, 30).tidy();
        }
        assertThat(database.number("SELECT count(*) FROM howdah_internal.job_token"))
                .isZero();
    }

    @Test
    void token_isKeptByItsDigestAlone() {
        try (ManualJobs manual = manual(this::ask)) {
            manual.jobs().add(WORK, "x");
            manual.runDue();
        }
        for (String table : List.of("job_token", "job_step", "job_record", "job", "job_signal"))
            for (String token : tokens)
                assertThat(database.number("SELECT count(*) FROM howdah_internal." + table + " t WHERE t::text LIKE '%"
                                + token + "%'"))
                        .as(table)
                        .isZero();
    }

    @Test
    void token_thatCannotBe_isRefused() {
        try (ManualJobs manual = manual((text, job) -> {
            assertThatThrownBy(() -> job.signalToken("", DAY)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> job.signalToken("ok", Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
        })) {
            long id = manual.jobs().add(WORK, "x");
            manual.runDue();
            assertThat(state(manual, id)).isEqualTo(JobState.DONE);
        }
        try (ManualJobs manual = database.jobs()
                .handleInTransaction(WORK, (text, job, connection) -> job.signalToken("ok", DAY))
                .manual()) {
            long id = manual.jobs().add(WORK, "x");
            manual.runDue();
            assertThat(manual.jobs().admin().find(id).orElseThrow().error()).contains("job's own transaction");
        }
    }
}
