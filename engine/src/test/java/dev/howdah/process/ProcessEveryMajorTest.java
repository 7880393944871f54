package dev.howdah.process;

import static dev.howdah.process.Scripted.reason;
import static dev.howdah.process.Scripted.script;
import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What processes do, in short, on every major version of PostgreSQL with their tables. All of it: {@code .ci/majors}. */
class ProcessEveryMajorTest {
    @ParameterizedTest
    @MethodSource("dev.howdah.fixtures.TestServer#withTables")
    void process_isStartedCalledTimedAndRepaired(int major) {
        try (TestDatabase database = TestDatabase.create(TestServer.of(major));
                Scripted node = Scripted.in(database)) {
            String id = script(
                    (task, process) -> Intent.none().event("begun"),
                    (task, process) ->
                            Intent.none().event("called").response("answer").then(Action.timeout()),
                    (task, process) -> Intent.none().event("timer"),
                    (task, process) -> {
                        throw new StepFailedException("not so");
                    },
                    (task, process) -> Intent.none().event("repaired").response("fine"));
            node.init(id);
            assertThat(node.call(id).as(String.class)).isEqualTo("answer");
            node.awaitQuiet(id, 3);
            assertThat(reason(() -> node.call(id))).isEqualTo("not so");
            assertThat(node.get(id).status()).isEqualTo(ProcessStatus.ERROR);
            assertThat(node.processes().repair(Scripted.NAMESPACE, id, null).as(String.class))
                    .isEqualTo("fine");
            assertThat(node.get(id).status()).isEqualTo(ProcessStatus.RUNNING);
            assertThat(node.history(id)).containsExactly(1L, 2L, 3L, 4L);
        }
    }
}
