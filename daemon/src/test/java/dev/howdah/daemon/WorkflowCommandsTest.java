package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code howdah job workflow} and {@code howdah job pipeline}. */
@PostgresTest
class WorkflowCommandsTest {
    private final TestDatabase database;

    WorkflowCommandsTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeEach
    void install() {
        CommandLineRun.installJobs(database);
    }

    private CommandLineRun run(String... words) {
        List<String> all = new ArrayList<>(List.of("job"));
        all.addAll(List.of(words));
        all.addAll(List.of("--url", database.uri()));
        return CommandLineRun.of("", Map.of("HOME", "/nonexistent"), all.toArray(String[]::new));
    }

    private String done(String... words) {
        CommandLineRun run = run(words);
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run.out();
    }

    private String wrong(int exitCode, String... words) {
        CommandLineRun run = run(words);
        assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(exitCode);
        return run.err();
    }

    @Test
    void workflow_addedShownAndCancelled_isAsInSql() {
        assertThat(done(
                        "workflow",
                        "add",
                        "[{\"name\": \"a\", \"kind\": \"k\"}, {\"name\": \"b\", \"kind\": \"k\", \"after\": [\"a\"]}]",
                        "--name",
                        "two",
                        "--when-ended",
                        "{\"kind\": \"m\"}"))
                .isEqualTo("1\n");
        assertThat(done("workflow", "list", "--json"))
                .hasLineCount(1)
                .contains("{\"id\":1,\"name\":\"two\",\"state\":\"running\",\"created\":");
        assertThat(done("workflow", "show", "1", "--json"))
                .hasLineCount(4)
                .contains("\"name\":\"b\",\"state\":\"held\",\"kind\":\"k\",\"after\":\"a\"");
        assertThat(done("workflow", "cancel", "1")).isEqualTo("2 jobs of workflow 1 are cancelled, or will be.\n");
        assertThat(done("workflow", "close", "1")).isEqualTo("Workflow 1 was not open.\n");
        assertThat(wrong(1, "workflow", "show", "7")).contains("there is no workflow 7, or it has been removed");
        assertThat(wrong(1, "workflow", "add", "[]")).contains("a workflow without jobs");
        assertThat(wrong(1, "workflow", "add", "[{\"name\": \"a\", \"kind\": \"k\", \"after\": [\"a\"]}]"))
                .contains("a cycle of jobs, none of which could ever run: \"a\" waits for \"a\"");
        String open = done("workflow", "add", "[]", "--open");
        assertThat(open.strip()).isEqualTo(database.value("SELECT max(id) FROM howdah_internal.workflow"));
        assertThat(done("workflow", "add-jobs", open.strip(), "[{\"name\": \"a\", \"kind\": \"k\"}]", "--json"))
                .hasLineCount(1)
                .contains("{\"id\":");
        assertThat(done(
                        "workflow",
                        "add-jobs",
                        open.strip(),
                        "[{\"name\": \"b\", \"kind\": \"k\", \"after\": [\"a\"]}]"))
                .contains("id");
        assertThat(done("workflow", "show", open.strip(), "--json"))
                .contains("\"name\":\"b\",\"state\":\"held\",\"kind\":\"k\",\"after\":\"a\"");
        assertThat(wrong(1, "workflow", "add-jobs", open.strip(), "[{\"name\": \"a\", \"kind\": \"k\"}]"))
                .contains("has a job with the name \"a\" already");
        assertThat(wrong(1, "workflow", "add-jobs", "1", "[{\"name\": \"z\", \"kind\": \"k\"}]"))
                .contains("nothing can be added to workflow 1: it is not open");
    }

    @Test
    void pipeline_putAndAdded_isAWorkflow() {
        assertThat(done("pipeline", "put", "order", "[{\"name\": \"a\", \"kind\": \"k\"}]"))
                .isEqualTo("stored\n");
        assertThat(done("pipeline", "list", "--json")).contains("{\"name\":\"order\",");
        String id = done("pipeline", "add", "order", "{\"id\": 7}").strip();
        assertThat(done("workflow", "show", id)).contains("order", "released");
        assertThat(database.value("SELECT payload ->> 'id' FROM howdah_internal.job"))
                .isEqualTo("7");
        assertThat(done("pipeline", "remove", "order")).isEqualTo("Pipeline order is removed.\n");
        assertThat(wrong(1, "pipeline", "remove", "order")).contains("there is no pipeline order");
        assertThat(wrong(1, "pipeline", "add", "order")).contains("there is no pipeline \"order\"");
    }
}
