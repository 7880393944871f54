package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.daemon.console.WatchedOutput;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of a command whose output cannot be written, or that is interrupted; and what it reads as SQL. */
@PostgresTest
class CommandOutputTest {
    private final TestDatabase database;

    CommandOutputTest(TestDatabase database) {
        this.database = database;
    }

    private CommandLineRun into(OutputStream target, String... arguments) {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int exitCode = Main.run(
                arguments,
                new dev.howdah.daemon.console.Terminal(
                        new WatchedOutput(target),
                        new PrintStream(err, false, StandardCharsets.UTF_8),
                        new ByteArrayInputStream(new byte[0]),
                        Map.of()));
        return new CommandLineRun(exitCode, "", err.toString(StandardCharsets.UTF_8));
    }

    /** As a file on a full disk, or a pipe without a reader. */
    private static OutputStream refusing(String why) {
        return new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException(why);
            }
        };
    }

    /** A list, a text for another program, a secret that is shown once, a sentence, JSON, a help. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "sql SELECT'x'",
                "sql --json SELECT'x'",
                "job schema --url=",
                "job install",
                "audit --csv",
                "token add t --role viewer",
                "--help",
                "--version"
            })
    void output_thatCannotBeWritten_isAFailure(String command) {
        assertThat(CommandLineRun.of("job", "install", "--url", database.uri()).exitCode())
                .isZero();
        boolean plain = command.startsWith("--") || command.endsWith("--url=");
        String words = command.replace(" --url=", "") + (plain ? "" : " --url " + database.uri());
        CommandLineRun full = into(refusing("No space left on device"), words.split(" "));
        assertThat(full.exitCode()).isOne();
        assertThat(full.err()).contains("the output could not be written: No space left on device");
        assertThat(into(refusing("Broken pipe"), words.split(" ")).err())
                .as("its reader has seen enough")
                .doesNotContain("could not be written");
        assertThat(into(
                                new ByteArrayOutputStream(),
                                words.replace("add t", "add u").split(" "))
                        .exitCode())
                .isZero();
    }

    @Test
    void sql_thatIsInterrupted_isCancelledAtTheServer(@TempDir Path home) throws Exception {
        database.execute("CREATE TABLE late (x integer)");
        try (HowdahProcess sql = HowdahProcess.start(
                home, Map.of(), "sql", "INSERT INTO late SELECT 1 FROM pg_sleep(600)", "--url", database.uri())) {
            String running = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                    + " AND state = 'active' AND query LIKE 'INSERT INTO late%'";
            await().atMost(Patience.LIMIT).until(() -> "1".equals(database.value(running)));
            sql.interrupt();
            assertThat(sql.exitCode()).isEqualTo(130);
            await().atMost(Patience.LIMIT).until(() -> "0".equals(database.value(running)));
        }
        assertThat(database.value("SELECT count(*) FROM late")).isEqualTo("0");
    }

    /** Files that are in the way, of the data directory and of a command. */
    @Test
    void fileThatCannotBeUsed_isNamedWithTheReason(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "");
        CommandLineRun run = CommandLineRun.of("up", "--data", file.toString());
        assertThat(run.exitCode()).isOne();
        assertThat(run.err())
                .startsWith("howdah: " + file)
                .contains("is not a directory")
                .doesNotContain("Exception");
    }

    @Test
    void sql_inAFile_isUtf8WithOrWithoutAMark(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("a.sql");
        Files.writeString(file, "\uFEFFSELECT 'é' AS x");
        CommandLineRun run = CommandLineRun.of("sql", "--json", "--file", file.toString(), "--url", database.uri());
        assertThat(run.out()).isEqualTo("[{\"x\":\"é\"}]\n");
        Files.write(file, "SELECT 1;\nSELECT 'é'".getBytes(StandardCharsets.ISO_8859_1));
        run = CommandLineRun.of("sql", "--file", file.toString(), "--url", database.uri());
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("is no text in UTF-8: byte 0xE9 in line 2");
    }
}
