package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.daemon.Documents.Example;
import dev.howdah.daemon.console.Json;
import dev.howdah.fixtures.Patience;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * Runs the examples of documents against one PostgreSQL and its {@code howdah up}. Where a block of text follows at once, it has to be what is
 * printed. A SELECT is asked again until it is, for tasks take their time. {@code db.example/shop} stands for the database, and
 * {@code 127.0.0.1:5432} for the server with its usual port.
 */
final class ExampleRunner implements AutoCloseable {
    private static final Duration PATIENCE = Patience.LIMIT;

    private static final Map<String, String> FREE_PORTS = Map.of("HOWDAH_PG_PORT", "0", "HOWDAH_PORT", "0");

    private final Path home;
    private final List<HowdahProcess> started = new ArrayList<>();
    private String server = "";

    /** The database that the program which was started last serves. */
    private String served = "";

    ExampleRunner(Path home) throws IOException {
        this.home = home;
        writeLauncher();
    }

    /** Those of a document that can be run. */
    static List<Example> examples(String document) {
        Path file = Documents.ROOT.resolve(document);
        if (!file.toString().endsWith(".md")) return List.of();
        return Documents.examples(Documents.read(file)).stream()
                .filter(example -> example.reason() == null)
                .toList();
    }

    /** Runs the examples of a document in their order. */
    void run(String document) throws Exception {
        List<Example> examples = examples(document);
        if (started.isEmpty() && !isServer(examples.get(0))) started.add(HowdahProcess.start(home, FREE_PORTS, "up"));
        if (!started.isEmpty()) findServer();
        for (Example example : examples) {
            String place = document + " line " + example.line();
            switch (example.language()) {
                case "sql" -> sql(example, place);
                case "java" -> java(example, place);
                default -> shell(example, place);
            }
        }
    }

    /** Stops all programs but the first one, whose server the examples of all documents use. */
    void stopLaterPrograms() {
        List<HowdahProcess> later = started.subList(1, started.size());
        later.forEach(HowdahProcess::close);
        later.clear();
    }

    @Override
    public void close() {
        started.forEach(HowdahProcess::close);
    }

    /** A block that runs until it is told to stop. */
    private static boolean isServer(Example example) {
        return example.language().equals("sh") && example.text().startsWith("./howdah up");
    }

    private void findServer() throws IOException {
        HowdahProcess up = started.get(started.size() - 1);
        await().atMost(Patience.LIMIT)
                .until(() -> up.out().contains("Stop\n") || up.err().contains("howdah: "));
        assertThat(up.err()).doesNotContain("howdah: ");
        if (!server.isEmpty()) return;
        Map<String, String> running = Json.texts(Files.readString(home.resolve(".howdah/howdah.json")));
        server = String.valueOf(
                        URI.create(String.valueOf(running.get("postgres"))).getAuthority())
                .replaceFirst(".*@", "");
        assertThat(CommandLineRun.of("", Map.of("HOME", home.toString()), "sql", "CREATE DATABASE shop")
                        .exitCode())
                .isZero();
    }

    /** Lets the names in examples mean what there is. */
    private String real(String text) {
        return text.replace("db.example/shop", server + "/shop")
                .replace("127.0.0.1:5432/", server + "/")
                .replaceAll("host=db\\.example", "host=127.0.0.1 port=" + server.replaceFirst(".*:", ""));
    }

    private void sql(Example example, String place) {
        String text = real(example.text());
        boolean question = text.stripLeading().startsWith("SELECT");
        if (question && example.answer() != null)
            await().atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(50))
                    .untilAsserted(() -> answers(example, place, query(text)));
        else answers(example, place, query(text));
    }

    private CommandLineRun query(String sql) {
        // Where two are up the table is that of the second.
        return started.size() == 1
                ? CommandLineRun.of(sql, environment(), "sql", "-")
                : CommandLineRun.of(sql, environment(), "sql", "--url", served, "-");
    }

    private Map<String, String> environment() {
        return Map.of("HOME", home.toString());
    }

    private static void answers(Example example, String place, CommandLineRun run) {
        answers(example, place, run.exitCode(), run.out() + run.err());
    }

    private static void answers(Example example, String place, int exitCode, String printed) {
        String answer = example.answer();
        if (answer == null) assertThat(exitCode).as("%s: %s", place, printed).isZero();
        else assertThat(trimmed(printed)).as(place).isEqualTo(trimmed(answer));
    }

    /** Without blanks at the ends of lines, which editors take away. */
    private static String trimmed(String text) {
        return text.lines()
                .map(String::stripTrailing)
                .collect(Collectors.joining("\n"))
                .stripTrailing();
    }

    private void writeLauncher() throws IOException {
        String command = HowdahProcess.java(System.getProperty("java.class.path"), "dev.howdah.daemon.Main").stream()
                .map(each -> "'" + each + "'")
                .collect(Collectors.joining(" "));
        Path launcher = Files.writeString(home.resolve("howdah"), "#!/bin/sh\nexec " + command + " \"$@\"\n");
        assertThat(launcher.toFile().setExecutable(true)).isTrue();
    }

    private void shell(Example example, String place) throws Exception {
        // Documents that are read one after the other begin with the same program.
        boolean already = !started.isEmpty() && example.text().strip().equals("./howdah up");
        if (already) return;
        if (isServer(example)) {
            String command = real(example.text());
            started.add(HowdahProcess.run(home, FREE_PORTS, List.of("sh", "-c", "cd " + home + " && exec " + command)));
            served = command.replaceFirst("(?s).*--url (\\S+).*", "$1").replaceFirst("://[^@]*@", "://postgres@");
            findServer();
            return;
        }
        try (HowdahProcess shell = HowdahProcess.run(
                home, Map.of(), List.of("sh", "-c", "set -e; cd " + home + "\n" + real(example.text())))) {
            int exitCode = shell.exitCode();
            answers(example, place, exitCode, shell.out() + shell.err());
        }
    }

    /** What stands in a class is one; anything else is the body of a program, below its imports. */
    private void java(Example example, String place) throws Exception {
        String text = real(example.text());
        String imports = text.lines().filter(line -> line.startsWith("import ")).collect(Collectors.joining("\n"));
        String body = text.lines().filter(line -> !line.startsWith("import ")).collect(Collectors.joining("\n"));
        Path directory = Files.createTempDirectory(home, "java");
        Path source = Files.writeString(
                directory.resolve("Example.java"),
                imports + "\nclass Example { public static void main(String[] arguments) throws Exception {\n" + body
                        + "\n} }\n");
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        String classes = System.getProperty("java.class.path");
        assertThat(compiler.run(null, null, null, "-cp", classes, "-d", directory.toString(), source.toString()))
                .as("%s compiles", place)
                .isZero();
        try (HowdahProcess program =
                HowdahProcess.run(home, Map.of(), HowdahProcess.java(directory + ":" + classes, "Example"))) {
            int exitCode = program.exitCode();
            assertThat(exitCode).as("%s: %s", place, program.err()).isZero();
            answers(example, place, exitCode, program.out());
        }
    }
}
