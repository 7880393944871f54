package dev.howdah.daemon;

import dev.howdah.fixtures.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** {@code howdah sweep} with the mailing of the guide, whose options a test may change. */
final class SweepRunner {
    private final TestDatabase database;
    private final Path home;

    SweepRunner(TestDatabase database, Path home) {
        this.database = database;
        this.home = home;
    }

    /** Makes the table, with so many rows to do. */
    SweepRunner rows(int count) {
        database.execute(
                "CREATE TABLE subscription (id bigint PRIMARY KEY, email text NOT NULL, last_mail_at timestamptz);"
                        + " INSERT INTO subscription SELECT i, 'p' || i || '@example.com' FROM generate_series(1, "
                        + count + ") i");
        return this;
    }

    /** @param changes an option, its value (null: it is left out), and so on; in the end perhaps words as they are */
    String[] words(Map<String, String> changes, String... more) {
        Map<String, String> options = new LinkedHashMap<>();
        options.put("--url", database.uri());
        options.put("--name", "mailing-7");
        options.put("--table", "subscription");
        options.put("--where", "last_mail_at IS NULL");
        options.put("--key", "id");
        options.put("--mark", "last_mail_at = now()");
        options.putAll(changes);
        List<String> words = new ArrayList<>(List.of("sweep"));
        options.forEach((name, value) -> {
            if (!value.isEmpty()) words.addAll(List.of(name, value));
        });
        words.addAll(List.of(more));
        return words.toArray(String[]::new);
    }

    CommandLineRun run(String... more) {
        return run(Map.of(), more);
    }

    CommandLineRun run(Map<String, String> changes, String... more) {
        return CommandLineRun.of("", environment(), words(changes, more));
    }

    /** A command about sweeps that there are. */
    CommandLineRun book(String command, String... more) {
        List<String> words = new ArrayList<>(List.of("sweep", command, "--url", database.uri()));
        words.addAll(List.of(more));
        return CommandLineRun.of("", environment(), words.toArray(String[]::new));
    }

    /** The same in a process of its own. */
    HowdahProcess start(String... more) throws IOException {
        return HowdahProcess.start(home, Map.of(), words(Map.of(), more));
    }

    private Map<String, String> environment() {
        return Map.of("HOME", home.toString(), "PATH", System.getenv("PATH"));
    }

    /** A shell script; {@code HERE} in it stands for the directory in which it lies. */
    String script(String... lines) throws IOException {
        Path file = home.resolve("work.sh");
        Files.writeString(file, "#!/bin/sh\n" + String.join("\n", lines).replace("HERE", home.toString()) + "\n");
        if (!file.toFile().setExecutable(true)) throw new IOException("cannot make it executable");
        return file.toString();
    }
}
