package dev.howdah.daemon;

import dev.howdah.daemon.console.Terminal;
import dev.howdah.fixtures.TestDatabase;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** What a command printed, and its exit code: run within this JVM. */
record CommandLineRun(int exitCode, String out, String err) {
    static CommandLineRun of(String... arguments) {
        return of("", Map.of("HOME", "/nonexistent"), arguments);
    }

    /** Lets a database begin with the tables of jobs, as {@code howdah job install} makes them. */
    static void installJobs(TestDatabase database) {
        database.fill("jobs", empty -> {
            CommandLineRun run = of("job", "install", "--url", empty.uri());
            if (run.exitCode() != 0) throw new AssertionError(run.err());
        });
    }

    /** As a person at a terminal runs it. */
    static CommandLineRun onTerminal(String input, String... arguments) {
        return run(input, Map.of("HOME", "/nonexistent"), true, arguments);
    }

    static CommandLineRun of(String input, Map<String, String> environment, String... arguments) {
        return run(input, environment, false, arguments);
    }

    private static CommandLineRun run(
            String input, Map<String, String> environment, boolean isTerminal, String... arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int exitCode = Main.run(
                arguments,
                new Terminal(
                        new PrintStream(out, false, StandardCharsets.UTF_8),
                        new PrintStream(err, false, StandardCharsets.UTF_8),
                        new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
                        environment,
                        () -> isTerminal,
                        () -> isTerminal,
                        () -> isTerminal,
                        () -> 80));
        return new CommandLineRun(exitCode, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }
}
