package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** {@code howdah session}: sessions with an open transaction are listed, and ended by pid and time. */
@PostgresTest
class SessionCommandsTest {
    private final TestDatabase database;

    SessionCommandsTest(TestDatabase database) {
        this.database = database;
    }

    private CommandLineRun run(String uri, String command, String... words) {
        List<String> all = new ArrayList<>(List.of("session", command, "--url", uri));
        all.addAll(List.of(words));
        return CommandLineRun.of("", Map.of("HOME", "/nonexistent"), all.toArray(String[]::new));
    }

    private String list() {
        return run(database.uri(), "list", "--limit", "500", "--json")
                .out()
                .lines()
                .filter(each -> each.contains("\"database\":\"" + database.name() + "\""))
                .reduce("", (one, other) -> one + other + "\n");
    }

    @Test
    void session_withAnOpenTransaction_isListedAndTerminated() throws Exception {
        // Makes the audit table.
        CommandLineRun.of(
                "", Map.of("HOME", "/nonexistent"), "token", "add", "ann", "--role", "viewer", "--url", database.uri());
        try (Connection holder = database.connect();
                Statement statement = holder.createStatement()) {
            statement.execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 17 AS held");
            Matcher listed =
                    Pattern.compile("\"pid\":(\\d+),\"started\":\"([^\"]+)\"").matcher(list());
            assertThat(listed.find()).isTrue();
            String pid = listed.group(1);
            String started = listed.group(2);
            assertThat(list()).contains("\"state\":\"idle in transaction\"", "SELECT 17 AS held");
            CommandLineRun other = run(database.uri(), "terminate", pid, "--started", "2020-01-01T00:00:00Z");
            assertThat(other.exitCode()).isEqualTo(1);
            assertThat(other.err()).contains("there is no session " + pid + " that began at 2020-01-01T00:00:00Z");
            assertThat(run(database.uri(), "cancel", pid, "--started", started).out())
                    .isEqualTo("PostgreSQL was asked to cancel the statement of session " + pid + ".\n");
            assertThat(list()).contains("\"pid\":" + pid + ",");
            assertThat(run(database.uri(), "terminate", pid, "--started", started, "--json")
                            .out())
                    .isEqualTo("{\"changed\":true}\n");
            await().until(() -> !list().contains("\"pid\":" + pid + ","));
            assertThat(run(database.uri(), "terminate", pid, "--started", started)
                            .exitCode())
                    .isEqualTo(1);
            assertThat(database.value(
                            "SELECT string_agg(concat_ws(' ', via, action, object, outcome), '; ' ORDER BY id)"
                                    + " FROM howdah.audit WHERE outcome = 'begun' AND object LIKE 'database/%'"))
                    .isEqualTo(String.join(
                            "; ",
                            "cli database-sessions.terminate database/sessions/" + pid + " begun",
                            "cli database-sessions.cancel database/sessions/" + pid + " begun",
                            "cli database-sessions.terminate database/sessions/" + pid + " begun",
                            "cli database-sessions.terminate database/sessions/" + pid + " begun"));
            assertThat(
                            database.value(
                                    "SELECT string_agg(outcome, ' ' ORDER BY id) FROM howdah.audit WHERE outcome <> 'begun' AND object LIKE 'database/%'"))
                    .isEqualTo("failed done done failed");
        }
    }

    @Test
    void started_wrong_isRefused() {
        CommandLineRun run = run(database.uri(), "terminate", "7", "--started", "soon");
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("--started is no time: a time is written as 2026-11-25T14:00:00Z");
    }
}
