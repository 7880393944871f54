package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code howdah mcp}. */
@PostgresTest
class McpCommandTest {
    private static final String PAUSE =
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"pauseQueue\",\"arguments\":{\"queue\":\"mail\"}}}\n";

    private final TestDatabase database;

    McpCommandTest(TestDatabase database) {
        this.database = database;
    }

    private CommandLineRun mcp(String input, Map<String, String> environment) {
        return CommandLineRun.of(input, environment, "mcp", "--url", database.uri());
    }

    @Test
    void agent_readsWithoutAToken_andChangesWithOne() {
        CommandLineRun.installJobs(database);
        database.execute("SELECT howdah.add('mail', 'k', 'null'::json)");
        Map<String, String> nothing = Map.of("HOME", "/nonexistent");
        CommandLineRun read = mcp(
                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n\n"
                        + "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"listQueues\",\"arguments\":{}}}\n"
                        + PAUSE,
                nothing);
        assertThat(read.exitCode()).as(read.err()).isZero();
        assertThat(read.out().lines()).hasSize(2);
        assertThat(read.out()).contains("\\\"name\\\":\\\"mail\\\"", "needs the role operator");
        String token = CommandLineRun.of("token", "add", "bot", "--role", "operator", "--url", database.uri())
                .out()
                .strip();
        CommandLineRun paused = mcp(PAUSE, Map.of("HOME", "/nonexistent", "HOWDAH_TOKEN", token));
        assertThat(paused.out()).contains("\\\"changed\\\":true");
        assertThat(database.value("SELECT actor FROM howdah.audit WHERE action = 'queues.pause' AND outcome = 'done'"))
                .isEqualTo("token:bot");
        assertThat(mcp(PAUSE, Map.of("HOME", "/nonexistent", "HOWDAH_TOKEN", "hd_0"))
                        .err())
                .contains("This token is not accepted");
    }
}
