package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.daemon.config.Setting;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MainTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            upp                          | howdah: unknown command upp: did you mean "up"? (see howdah --help)
            launch                       | howdah: unknown command launch, there are: up, sql, task, job, sweep, process, why, doctor, pause, resume, session, reach, import, console, token, mcp, audit, node, top, completion (see howdah --help)
            up --pg-prot 1               | howdah: unknown option --pg-prot: did you mean "--pg-port"? (see howdah up --help)
            up --pg-port x               | howdah: --pg-port has to be a number from 0 to 65535, not "x"
            up --url x=y                 | howdah: --url: invalid connection option "x"
            up --url host=h --pg-port 1  | howdah: --pg-port with --url: that is for the PostgreSQL that howdah brings along
            task                         | howdah: a command is missing: list, chart, show, add, cancel, retry, delete, resume, uninstall, schedule (see howdah task --help)
            task show                    | howdah: missing ID (see howdah task show --help)
            sweep --dry-run=yes          | howdah: --dry-run takes no value, such as "yes" (see howdah sweep --help)
            task show x                  | howdah: ID has to be a number, not "x" (see howdah task show --help)
            task list --limit 0          | howdah: --limit has to be 1 or more, not 0
            task list --state OPEN       | howdah: --state has to be one of PLAN, GONE, TAKE, WORK, DONE, FAIL, STOP, not "OPEN"
            sweep                        | howdah: missing --name, --table, --where, --key, --mark (see howdah sweep --help)
            sweep show                   | howdah: missing NAME (see howdah sweep show --help)
            reach check https://a.example | howdah: missing --owner=ROLE (see howdah reach check --help)
            sweep errors x --limit 0     | howdah: --limit has to be 1 or more, not 0
            process                      | howdah: a command is missing: call, get, install, remove, repair, schema, start, notify, trace, uninstall, list, namespaces, timers, notices, notice-again, notice-skip (see howdah process --help)
            process call payment         | howdah: missing ID (see howdah process call --help)
            process list x --limit 0     | howdah: --limit has to be 1 or more, not 0
            sql                          | howdah: the SQL is empty
            sql --url host=h select 1    | howdah: "1" is one argument too many; SQL with blanks needs quotes around it (see howdah sql --help)
            """)
    void commandLine_wrong_saysInOneLineWhatWouldBeRight(String arguments, String message) {
        CommandLineRun run = CommandLineRun.of(arguments.split(" +"));
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).isEqualTo(message + System.lineSeparator());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            task list --json --stat OPEN  | unknown option --stat: did you mean \\"--state\\"?
            task list --state OPEN --json | --state has to be one of PLAN, GONE, TAKE, WORK, DONE, FAIL, STOP, not \\"OPEN\\"
            task show --json              | missing ID
            task show x --json            | ID has to be a number, not \\"x\\"
            task list --json --limit 0    | --limit has to be 1 or more, not 0
            process get payment --json    | missing ID
            process remove payment --json | missing ID, or --all
            process repair x --all --json | --all without --simple: many processes are repaired without their processors
            process --json                | a command is missing: call, get, install, remove, repair, schema, start, notify, trace, uninstall, list, namespaces, timers, notices, notice-again, notice-skip
            --json task                   | --json stands after the command
            --json                        | a command is missing: up, sql, task, job, sweep, process, why, doctor, pause, resume, session, reach, import, console, token, mcp, audit, node, top, completion
            tsk --json                    | unknown command tsk: did you mean \\"task\\"?
            job schedule lst --json       | unknown command lst: did you mean \\"list\\"?
            session terminate 7 --json    | missing --started=STARTED
            """)
    void commandLine_wrongWithJson_isAnErrorInJsonAsWell(String arguments, String message) {
        CommandLineRun run = CommandLineRun.of(arguments.split(" +"));
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.out()).isEqualTo("{\"error\":{\"message\":\"" + message + "\"}}" + System.lineSeparator());
        assertThat(run.err()).startsWith("howdah: " + message.replace("\\", ""));
    }

    @Test
    void commandLine_wrongWithJson_behindTwoDashesIsNoOption() {
        assertThat(CommandLineRun.of("task", "show", "x", "--", "--json").out()).isEmpty();
        assertThat(CommandLineRun.of("up", "--json", "--pg-prot", "1").out()).isEmpty();
    }

    @Test
    void commandLine_nothingRunning_saysHowToStart() {
        CommandLineRun run = CommandLineRun.of("sql", "SELECT 1");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .isEqualTo("howdah: no howdah is running on /nonexistent/.howdah: start one with \"howdah up\","
                        + " or name another directory with --data or a database with --url\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--help",
                "up --help",
                "sql --help",
                "task --help",
                "task add --help",
                "task list -h",
                "sweep --help",
                "sweep list --help",
                "process --help",
                "process call --help"
            })
    void help_eachCommand_goesToStandardOutput(String arguments) {
        CommandLineRun run = CommandLineRun.of(arguments.split(" "));
        assertThat(run.exitCode()).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(run.out()).startsWith("Usage: howdah");
    }

    @Test
    void help_up_namesEverySetting() {
        String help = CommandLineRun.of("up", "--help").out();
        for (Setting setting : Setting.values()) assertThat(help).contains(setting.flag() + "=");
    }

    @Test
    void version_asked_isPrinted() {
        assertThat(CommandLineRun.of("--version").out()).matches("howdah \\S+ \\(Java .*\\)\\R");
        assertThat(CommandLineRun.of("version").out()).matches("howdah \\S+ \\(Java .*\\)\\R");
    }

    @Test
    void help_askedByAWord_isThatOfTheOption() {
        assertThat(CommandLineRun.of("help").out())
                .isEqualTo(CommandLineRun.of("--help").out())
                .contains("howdah help COMMAND");
        assertThat(CommandLineRun.of("help", "task", "add").out())
                .isEqualTo(CommandLineRun.of("task", "add", "--help").out())
                .startsWith("Usage: howdah task add ");
    }

    @Test
    void environment_unknownVariable_stopsEveryCommand() {
        for (List<String> command : List.of(List.of("sql", "SELECT 1"), List.of("task", "list"), List.of("up"))) {
            CommandLineRun run = CommandLineRun.of("", Map.of("HOWDAH_DATTA", "/x"), command.toArray(String[]::new));
            assertThat(run.exitCode()).isEqualTo(2);
            assertThat(run.err())
                    .isEqualTo(
                            "howdah: unknown variable HOWDAH_DATTA in the environment: did you mean \"HOWDAH_DATA\"?\n");
        }
    }

    @Test
    void up_tableWithTooLongAName_isRefusedBeforeItStarts() {
        CommandLineRun run =
                CommandLineRun.of("up", "--url", "postgresql://nobody@127.0.0.1:1/x", "--table", "t".repeat(60));
        assertThat(run.exitCode()).as(run.err()).isEqualTo(2);
        assertThat(run.err()).contains("--table has to be a name of at most 42 bytes");
    }
}
