package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code howdah sql} at a terminal. */
@PostgresTest
@Tag("long")
class SqlPromptTest {
    private static final String CTRL_C = "\u0003";
    private static final String CTRL_D = "\u0004";
    /** As a terminal sends it that was told to be in the mode of applications. */
    private static final String UP = "\u001BOA";

    private final TestDatabase database;

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path home;

    SqlPromptTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeEach
    void needsATerminal() {
        assumeTrue(PseudoTerminal.isThere(), "no script here");
    }

    private PseudoTerminal start() throws IOException {
        PseudoTerminal terminal =
                PseudoTerminal.start(home, 100, 30, Map.of("HOME", home.toString()), "sql", "--url", database.uri());
        prompts(terminal);
        return terminal;
    }

    /** Waits until the program reads: a key that ends the input is lost before. */
    private void prompts(PseudoTerminal terminal) {
        Awaitility.await()
                .atMost(Patience.LIMIT)
                .until(() -> terminal.lines().stream()
                        .filter(line -> !line.isEmpty())
                        .reduce("", (before, line) -> line)
                        .equals(database.name() + "=>"));
    }

    @Test
    void statements_onSeveralLines_runAtTheirSemicolon_inOneSession() throws Exception {
        try (PseudoTerminal terminal = start()) {
            terminal.type("CREATE TEMP TABLE kept (n int);\r");
            terminal.shows("CREATE TABLE");
            terminal.type("INSERT INTO kept\r");
            terminal.shows("->");
            terminal.type("VALUES (42), (43) -- ;\r;\r");
            terminal.shows("INSERT 0 2");
            terminal.type("SELECT 'a;b' AS text, sum(n) FROM kept;\r");
            terminal.shows("a;b  |  85");
            terminal.type("SELECT nope;\r");
            terminal.shows("column \"nope\" does not exist");
            terminal.type("\\dt\r");
            terminal.shows("psql's own");
            terminal.type("\\q\r");
            assertThat(terminal.end()).contains("exit 0");
        }
    }

    @Test
    void controlC_cancelsTheStatement_andThePromptGoesOn() throws Exception {
        database.execute("CREATE TABLE late (n int)");
        try (PseudoTerminal terminal = start()) {
            terminal.type("INSERT INTO late SELECT 1 FROM pg_sleep(3600);\r");
            Awaitility.await()
                    .atMost(Patience.LIMIT)
                    .until(
                            () -> "1"
                                    .equals(
                                            database.value(
                                                    "SELECT count(*) FROM pg_stat_activity"
                                                            + " WHERE datname = current_database() AND state = 'active' AND query LIKE 'INSERT INTO late%'")));
            terminal.type(CTRL_C);
            terminal.shows("canceling statement due to user request");
            terminal.type("SELECT 'goes ' || 'on';\r");
            terminal.shows("goes on");
            prompts(terminal);
            terminal.type("half a statement" + CTRL_C);
            prompts(terminal);
            terminal.type("SELECT 'and ' || 'on';\r");
            terminal.shows("and on");
            prompts(terminal);
            terminal.type(CTRL_D);
            assertThat(terminal.end()).contains("exit 0");
        }
        assertThat(database.value("SELECT count(*) FROM late")).isEqualTo("0");
    }

    @Test
    void names_areCompleted_andHistoryIsKept_forItsOwnerAlone() throws Exception {
        database.execute(
                "CREATE TABLE subscription_of_the_year (n int); INSERT INTO subscription_of_the_year VALUES (7)");
        try (PseudoTerminal terminal = start()) {
            terminal.type("SELECT n * 6 AS product FROM subscr\t");
            terminal.shows("subscription_of_the_year");
            terminal.type(";\r");
            terminal.shows("42");
            prompts(terminal);
            terminal.type(CTRL_D);
            terminal.end();
        }
        Path history = home.resolve(".howdah/sql_history");
        assertThat(Files.readString(history)).contains("subscription_of_the_year");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(history)))
                .isEqualTo("rw-------");
        try (PseudoTerminal terminal = start()) {
            terminal.type(UP);
            terminal.shows("product");
            terminal.type("\r");
            terminal.shows("42");
            prompts(terminal);
            terminal.type(CTRL_D);
            assertThat(terminal.end()).contains("exit 0");
        }
    }
}
