package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Runs the examples of the guide, which need the address of a console. */
@PostgresTest
class ApiGuideTest {
    private static final Pattern BLOCK = Pattern.compile("```sh\n(.*?)```", Pattern.DOTALL);

    private final TestDatabase database;

    ApiGuideTest(TestDatabase database) {
        this.database = database;
    }

    @Test
    void examples_ofTheGuide_work() throws Exception {
        assumeThat(Path.of("/usr/bin/curl")).exists();
        ConsoleFixtures.tasksAndJobs(database);
        try (Console console = ConsoleFixtures.console(database).start()) {
            Matcher block = BLOCK.matcher(Files.readString(Path.of("../docs/guide/http-api.md")));
            int blocks = 0;
            for (; block.find(); blocks++)
                run(block.group(1)
                        .replace("http://127.0.0.1:8080", console.address().toString()));
            assertThat(blocks).isEqualTo(3);
        }
        assertThat(database.value("SELECT attempt || ' ' || kind FROM howdah_internal.job"))
                .isEqualTo("0 welcome");
    }

    private static void run(String script) throws Exception {
        Process process = new ProcessBuilder("bash", "-ec", script)
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(said).isZero();
    }
}
