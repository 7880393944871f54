package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.daemon.Documents.Example;
import dev.howdah.daemon.config.Setting;
import dev.howdah.daemon.console.Json;
import dev.howdah.fixtures.Patience;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What the documents say is so. Their examples are run, each document's in order against a PostgreSQL and a {@code
 * howdah up} of its own; where a block of text follows at once, it has to be what is printed. A SELECT is asked again
 * until it is, for tasks take their time. {@code db.example/shop} stands for the database.
 */
@Tag("long")
@Execution(ExecutionMode.CONCURRENT) // each document has a home, a server and programs of its own
class DocumentationTest {
    private static final Duration PATIENCE = Patience.LIMIT;
    private static final Pattern LINK = Pattern.compile("\\[[^\\]]*]\\(([^)]+)\\)");
    private static final Pattern FLAG = Pattern.compile("`(--[a-z-]+)");

    /** How many examples cannot be run, so that one more is a decision. */
    private static final int NOT_RUN = 56;

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path home;

    private final List<HowdahProcess> started = new ArrayList<>();
    private String server = "";

    @AfterEach
    void endAll() {
        started.forEach(HowdahProcess::close);
    }

    static Stream<String> documentsWithExamples() {
        return Documents.all().stream()
                .filter(file ->
                        Documents.examples(Documents.read(file)).stream().anyMatch(e -> e.reason() == null))
                .map(file -> Documents.ROOT.relativize(file).toString());
    }

    @ParameterizedTest
    @MethodSource("documentsWithExamples")
    void examples_runInOrder_answerAsWritten(String document) throws Exception {
        List<Example> examples = Documents.examples(Documents.read(Documents.ROOT.resolve(document))).stream()
                .filter(example -> example.reason() == null)
                .toList();
        writeLauncher();
        boolean startsOne = examples.stream().anyMatch(DocumentationTest::isServer);
        if (!startsOne || !isServer(examples.get(0)))
            started.add(HowdahProcess.start(home, Map.of(), "up", "--pg-port", "0"));
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
                : CommandLineRun.of(
                        sql, environment(), "sql", "--url", real("postgresql://postgres@db.example/shop"), "-");
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
        if (isServer(example)) {
            started.add(HowdahProcess.run(
                    home, Map.of(), List.of("sh", "-c", "cd " + home + " && exec " + real(example.text()))));
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

    @Test
    void examples_thatCannotRun_areFewAndSaySo() {
        List<Example> all = Documents.all().stream()
                .flatMap(file -> Documents.examples(Documents.read(file)).stream())
                .filter(example -> example.reason() != null)
                .toList();
        assertThat(all).hasSize(NOT_RUN).allSatisfy(e -> assertThat(e.reason()).isNotBlank());
    }

    @Test
    void quotations_all_standInTheirFiles() {
        List<Documents.Quotation> all = Documents.all().stream()
                .flatMap(file -> Documents.quotations(Documents.read(file)).stream())
                .toList();
        assertThat(all)
                .isNotEmpty()
                .allSatisfy(each -> assertThat(Documents.read(Documents.ROOT.resolve(each.file())))
                        .contains(each.text()));
    }

    @Test
    void links_all_lead_somewhere() {
        for (Path file : Documents.all()) {
            String text = Documents.read(file);
            LINK.matcher(text).results().map(link -> link.group(1)).forEach(link -> follow(file, text, link));
        }
    }

    private static void follow(Path file, String text, String link) {
        if (link.startsWith("https:")) return;
        String[] parts = link.split("#", 2);
        Path target = parts[0].isEmpty() ? file : file.resolveSibling(parts[0]).normalize();
        assertThat(target).as("%s in %s", link, file).exists();
        if (parts.length == 2)
            assertThat(Documents.anchors(parts[0].isEmpty() ? text : Documents.read(target)))
                    .as("%s in %s", link, file)
                    .contains(parts[1]);
    }

    @Test
    void commandLineReference_flags_areThoseOfThePrograms() {
        String reference = Documents.read(Documents.ROOT.resolve("docs/reference/command-line.md"));
        List<String> commands = new ArrayList<>(
                List.of("up", "sql", "task list", "task show", "task add", "task cancel", "task retry", "task delete"));
        for (String job : List.of(
                "install",
                "uninstall",
                "schema",
                "add",
                "list",
                "show",
                "log",
                "wait",
                "cancel",
                "retry",
                "run-now",
                "move",
                "delete",
                "pause",
                "resume",
                "errors",
                "stats")) commands.add("job " + job);
        for (String schedule : List.of("list", "put", "next", "run", "pause", "resume", "remove"))
            commands.add("job schedule " + schedule);
        commands.add("import pg_cron");
        commands.add("import pgagent");
        commands.add("sweep");
        for (String sweep : List.of("list", "show", "pause", "resume", "stop", "errors", "remove", "install", "schema"))
            commands.add("sweep " + sweep);
        for (String process : List.of(
                "start", "call", "notify", "repair", "get", "trace", "list", "timers", "remove", "install", "schema"))
            commands.add("process " + process);
        for (String command : commands) {
            Set<String> documented = flags(section(reference, command));
            Set<String> there = flagsOf(command);
            // Said of all commands at the beginning.
            Set<String> common = Set.of("--help", "--verbose", "--json");
            there.removeAll(common);
            documented.removeAll(common);
            assertThat(documented).as("howdah %s", command).isEqualTo(there);
        }
    }

    private static Set<String> flagsOf(String command) {
        List<String> arguments = new ArrayList<>(Arrays.asList(command.split(" ", -1)));
        arguments.add("--help");
        String help = CommandLineRun.of(arguments.toArray(String[]::new)).out();
        Set<String> flags = new TreeSet<>();
        Pattern.compile("^ +(?:-\\w, )?(--[a-z-]+)", Pattern.MULTILINE)
                .matcher(help)
                .results()
                .map(flag -> flag.group(1))
                .forEach(flags::add);
        return flags;
    }

    private static Set<String> flags(String section) {
        return FLAG.matcher(section)
                .results()
                .map(flag -> flag.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** What stands below the heading of a command, with the flags of the settings that it points to. */
    private static String section(String reference, String command) {
        @Nullable
        String found = Pattern.compile("(?ms)^## (?:howdah )?" + command + "$(.*?)(?=^## |\\z)")
                .matcher(reference)
                .results()
                .map(result -> result.group(1))
                .findFirst()
                .orElse(null);
        assertThat(found).as("the section of howdah %s", command).isNotNull();
        return String.valueOf(found);
    }

    @Test
    void commandLineReference_settings_areThoseOfTheProgram() {
        String settings = section(Documents.read(Documents.ROOT.resolve("docs/reference/command-line.md")), "Settings")
                .replaceAll("(?s)<!--.*?-->", "");
        for (Setting setting : Setting.values())
            assertThat(settings).contains("`" + setting.flag()).contains("`" + setting.variable() + "`");
        Set<String> variables = Pattern.compile("`(HOWDAH_[A-Z_]+)`")
                .matcher(settings)
                .results()
                .map((MatchResult variable) -> variable.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(variables).containsAll(Setting.variables());
        variables.removeAll(Setting.variables());
        assertThat(variables).containsExactly("HOWDAH_JAVA", "HOWDAH_JAVA_OPTS");
        for (String key : Setting.keys()) assertThat(settings).contains("| `" + key + "` |");
    }
}
