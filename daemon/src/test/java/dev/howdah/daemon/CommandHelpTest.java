package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.howdah.daemon.console.Terminal;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What all commands have: examples that are right, {@code --json}, and a completion. */
@PostgresTest
@Tag("long")
class CommandHelpTest {
    private final TestDatabase database;

    CommandHelpTest(TestDatabase database) {
        this.database = database;
    }

    private static CommandLine howdah() {
        PrintStream nowhere = new PrintStream(new ByteArrayOutputStream(), false, StandardCharsets.UTF_8);
        return Main.commandLine(new Terminal(nowhere, nowhere, new ByteArrayInputStream(new byte[0]), Map.of()), false);
    }

    private static List<CommandLine> leaves(CommandLine line) {
        List<CommandLine> found = new ArrayList<>();
        if (line.getSubcommands().isEmpty()) found.add(line);
        line.getSubcommands().values().forEach(each -> found.addAll(leaves(each)));
        return found;
    }

    @Test
    void helps_ofAllCommands_haveExamples() {
        List<String> without = leaves(howdah()).stream()
                .filter(each -> !each.getUsageMessage().contains("\nExample"))
                .map(each -> each.getCommandSpec().qualifiedName())
                .toList();
        assertThat(without).isEmpty();
    }

    /** Only the command that is called is made. */
    @Test
    void helps_ofCommandsThatAreCalled_areThoseOfTheWholeTree() {
        howdah().getSubcommands().forEach((name, command) -> {
            CommandLineRun run = CommandLineRun.of(name, "--help");
            assertThat(run.exitCode()).as(name).isZero();
            assertThat(run.out()).as(name).isEqualTo(command.getUsageMessage());
        });
    }

    @Test
    void help_inATerminal_isAsWideAsThat_andTearsNoValue(@TempDir Path home) throws Exception {
        assumeTrue(PseudoTerminal.isThere(), "no script here");
        try (PseudoTerminal terminal =
                PseudoTerminal.start(home, 80, 300, Map.of("HOME", home.toString()), "up", "--help")) {
            String help = terminal.end().replaceAll("\u001B\\[[0-9;]*m|\r", "").replaceFirst("(?s)\nexit 0\n.*", "");
            assertThat(help.lines().filter(line -> line.length() > 80)).isEmpty();
            assertThat(help.lines().filter(line -> line.length() > 76)).isNotEmpty();
            assertThat(help)
                    .startsWith("Usage: howdah up ")
                    .contains(
                            "postgresql://HOST:PORT/DATABASE=OWNER,OWNER",
                            "https://HOST:PORT/PATH/*=OWNER",
                            "http://ADDRESS:N/metrics",
                            "howdah.properties");
        }
    }

    @Test
    void json_isThereForAllCommands_butThoseThatPrintForOtherPrograms() {
        List<String> without = leaves(howdah()).stream()
                .filter(each -> each.getCommandSpec().findOption("--json") == null)
                .map(each -> each.getCommandSpec().qualifiedName())
                .toList();
        assertThat(without)
                .containsExactlyInAnyOrder(
                        "howdah job schema",
                        "howdah process schema",
                        "howdah sweep schema",
                        "howdah top",
                        "howdah completion");
    }

    @Test
    void json_ofACommandThatSaysASentence_isAnObjectWithIt() {
        String url = database.uri();
        assertThat(CommandLineRun.of("job", "install", "--url", url, "--json").out())
                .isEqualTo("{\"message\":\"the tables of jobs are up to date\"}\n");
        database.execute("SELECT howdah.add('mail', 'send', '1')");
        CommandLineRun paused = CommandLineRun.of("job", "pause", "mail", "--url", url, "--json");
        assertThat(paused.out()).isEqualTo("{\"changed\":true}\n");
        assertThat(CommandLineRun.of("job", "pause", "mail", "--url", url).out())
                .doesNotContain("{");
        CommandLineRun added = CommandLineRun.of(
                "job", "workflow", "add", "[{\"queue\":\"mail\",\"kind\":\"send\"}]", "--url", url, "--json");
        assertThat(added.out()).matches("\\{\"id\":\\d+}\n");
        CommandLineRun failed = CommandLineRun.of("job", "resume", "nothing", "--url", url, "--json");
        assertThat(failed.exitCode()).isOne();
        assertThat(failed.out()).startsWith("{\"error\":{").hasLineCount(1);
    }

    @Test
    void completion_forFish_completesCommandsAndOptions(@TempDir Path directory) throws Exception {
        String script = CommandLineRun.of("completion", "fish").out();
        assertThat(script)
                .contains(
                        "complete -c howdah -n '__howdah_at job' -a retry -d '",
                        "complete -c howdah -n '__howdah_below task list' -l state -x -a 'PLAN GONE TAKE WORK DONE FAIL STOP'",
                        "complete -c howdah -n '__howdah_below job add' -l at -r -F");
        assertThat(CommandLineRun.of("completion", "tcsh").err())
                .isEqualTo("howdah: there is no script for \"tcsh\": bash, zsh and fish have one\n");
        assumeTrue(
                new ProcessBuilder("sh", "-c", "command -v fish >/dev/null")
                                .start()
                                .waitFor()
                        == 0,
                "there is no fish here");
        Path file = Files.writeString(directory.resolve("howdah.fish"), script);
        Process fish = new ProcessBuilder(
                        "fish",
                        "-N",
                        "-c",
                        "source " + file + "; complete -C 'howdah job re'; complete -C 'howdah --url x sweep li'")
                .redirectErrorStream(true)
                .start();
        assertThat(new String(fish.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .contains("retry\t", "resume\t");
    }

    @Test
    void completion_isAScriptThatBashUnderstands_andKnowsCommandsAndOptions(@TempDir Path directory) throws Exception {
        String script = CommandLineRun.of("completion").out();
        assertThat(script).contains("complete -F _complete_howdah -o default howdah", "--dry-run", "zsh");
        assumeTrue(Files.isExecutable(Path.of("/bin/bash")), "no bash here");
        Path file = Files.writeString(directory.resolve("completion"), script);
        String ask = "source " + file + "; COMP_WORDS=(howdah job re); COMP_CWORD=2; _complete_howdah;"
                + " printf '%s\\n' \"${COMPREPLY[@]}\"";
        Process bash = new ProcessBuilder("/bin/bash", "-c", ask)
                .redirectErrorStream(true)
                .start();
        String reply = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(reply.lines()).contains("retry", "resume", "retention");
    }
}
