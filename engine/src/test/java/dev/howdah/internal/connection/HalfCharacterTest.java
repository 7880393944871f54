package dev.howdah.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.howdah.Database;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.query.JobSummary;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.Processes;
import dev.howdah.spi.CompressedPayloadCodec;
import dev.howdah.spi.JacksonPayloadCodec;
import dev.howdah.spi.PayloadCodec;
import dev.howdah.spi.RetryPolicy;
import dev.howdah.task.NewTask;
import dev.howdah.task.TaskTable;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Halves of characters, which strings of Java may hold and UTF-8 has not: each is refused; none becomes a question mark. */
@PostgresTest
class HalfCharacterTest {
    private static final String HALF = "a\uD800b";
    private static final Kind<String> ECHO = Kind.of("echo", String.class).retries(RetryPolicy.never());

    private final TestDatabase database;

    HalfCharacterTest(TestDatabase database) {
        this.database = database;
    }

    private PGSimpleDataSource source() {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(
                "jdbc:postgresql://127.0.0.1:" + database.server().port() + "/" + database.name() + "?user=postgres");
        return source;
    }

    @Test
    void jobs_withAHalf_areNotAdded() {
        try (Jobs jobs = Jobs.on(source()).start()) {
            List<UnaryOperator<NewJob<String>>> options = List.of(
                    job -> job.key(HALF),
                    job -> job.orderKey(HALF),
                    job -> job.group(HALF),
                    job -> job.queue(HALF),
                    job -> job.tags(HALF),
                    job -> job.metadata(Map.of("m", HALF)));
            for (UnaryOperator<NewJob<String>> each : options)
                assertThatThrownBy(() -> jobs.add(each.apply(NewJob.of(ECHO, "x"))))
                        .hasMessageContaining("U+D800");
            assertThatThrownBy(() -> jobs.add(ECHO, HALF)).hasMessageContaining("U+D800");
            assertThatThrownBy(() -> jobs.addAll(List.of(NewJob.of(ECHO, "x"), NewJob.of(ECHO, HALF))))
                    .hasMessageContaining("U+D800");
            assertThat(database.value("SELECT count(*) FROM howdah_internal.job"))
                    .isEqualTo("0");
            jobs.add(ECHO, "\uD83D\uDE00");
            assertThat(database.value("SELECT payload FROM howdah_internal.job"))
                    .isEqualTo("\"\uD83D\uDE00\"");
        }
    }

    @Test
    void jobs_thatLeaveAHalf_fail() throws Exception {
        try (Jobs jobs = Jobs.on(source())
                .handle(ECHO, (how, job) -> {
                    job.log(HALF);
                    job.progress(0.5, HALF);
                    if (how.equals("result")) job.result(HALF);
                    if (how.equals("step")) job.step("s", String.class, () -> HALF);
                    if (how.equals("error")) throw new IllegalStateException(HALF);
                })
                .start()) {
            for (String how : List.of("result", "step", "error")) {
                JobSummary ended = jobs.await(jobs.add(ECHO, how), Patience.LIMIT);
                assertThat(ended.state().toString()).as(how).isEqualTo("FAILED");
                assertThat(ended.error()).contains(how.equals("error") ? "a\uFFFDb" : "U+D800");
            }
            assertThat(jobs.await(jobs.add(ECHO, "log"), Patience.LIMIT).state().toString())
                    .isEqualTo("DONE");
        }
        assertThat(database.value("SELECT string_agg(DISTINCT line, ' ') FROM howdah.log"))
                .isEqualTo("a\uFFFDb");
    }

    @Test
    void processes_withAHalf_areRefused() {
        Namespace echo = Namespace.of("echo", (task, process) -> {
            String text = task.args().size() == 0 ? "" : task.args().as(String.class);
            return text.equals("answer")
                    ? Intent.none().response(HALF)
                    : Intent.none().event(text);
        });
        try (Processes processes = Processes.on(source()).namespace(echo).start()) {
            assertThatThrownBy(() -> processes.init("echo", HALF, null)).hasMessageContaining("U+D800");
            assertThatThrownBy(() -> processes.init("echo", "b", HALF)).hasMessageContaining("U+D800");
            processes.init("echo", "a?b", null);
            assertThatThrownBy(() -> processes.call("echo", HALF, "x")).hasMessageContaining("U+D800");
            assertThatThrownBy(() -> processes.call("echo", "a?b", HALF)).hasMessageContaining("U+D800");
            assertThatThrownBy(() -> processes.call("echo", "a?b", "answer")).hasMessageContaining("U+D800");
        }
    }

    @Test
    void tasksAndCodecs_refuseAHalf() {
        TaskTable tasks = TaskTable.on(Database.of(database.uri()), "public", "task");
        assertThatThrownBy(() -> tasks.add(NewTask.of("SELECT '" + HALF + "'"))).hasMessageContaining("U+D800");
        PayloadCodec codec = CompressedPayloadCodec.of(JacksonPayloadCodec.of(new ObjectMapper()));
        assertThatThrownBy(() -> codec.encode(HALF + "x".repeat(10_000))).hasMessageContaining("U+D800");
    }
}
