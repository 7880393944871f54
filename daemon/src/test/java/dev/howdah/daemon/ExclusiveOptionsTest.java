package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Options that exclude each other are refused before anything is asked of the database: here there is none, so that nothing can have changed. */
class ExclusiveOptionsTest {
    private static final String NOWHERE = "postgresql://postgres@127.0.0.1:1/none";

    private static final String FOR_ALL = "--state and the filter are for --all";

    private static final List<String> JOB_FILTER = List.of(
            "--queue q",
            "--kind k",
            "--key k",
            "--error text",
            "--payload {}",
            "--tag t",
            "--metadata {}",
            "--from 2026-01-01",
            "--until 2026-01-01");

    private static final List<String> TASK_FILTER = List.of(
            "--group g",
            "--owner o",
            "--input text",
            "--error text",
            "--sqlstate 40001",
            "--remote text",
            "--schedule s",
            "--from 2026-01-01",
            "--until 2026-01-01");

    private static void assertRefused(String words, String complaint) {
        CommandLineRun run = CommandLineRun.of((words + " --url " + NOWHERE).split(" "));
        assertThat(run.exitCode()).as(words + ": " + run.err()).isEqualTo(2);
        assertThat(run.out()).as(words).isEmpty();
        assertThat(run.err()).as(words).startsWith("howdah: ").contains(complaint);
    }

    @ParameterizedTest
    @ValueSource(strings = {"cancel", "retry", "run-now", "delete"})
    void jobs_changedById_takeNoOptionOfAll(String action) {
        for (String option : List.of("--dry-run", "--yes", "--state failed", "--queue q"))
            assertRefused("job " + action + " 7 8 " + option, FOR_ALL);
        assertRefused("job " + action + " 7 --all --dry-run", "--all and the id 7: it is one or the other");
    }

    @Test
    void jobs_cancelledById_takeNoFilter() {
        for (String option : JOB_FILTER) assertRefused("job cancel 7 " + option, FOR_ALL);
        assertRefused("job cancel --dry-run", "missing ID, or --all");
    }

    @ParameterizedTest
    @ValueSource(strings = {"7 --all", "--dry-run", "--queue q", "7 --state waiting"})
    void jobs_movedBothByIdAndByFilter_areRefused(String words) {
        assertRefused("job move --to other " + words, "--all");
    }

    @ParameterizedTest
    @ValueSource(strings = {"cancel", "retry", "delete"})
    void tasks_changedById_takeNoOptionOfAll(String action) {
        for (String option : List.of("--dry-run", "--state FAIL", "--group g"))
            assertRefused("task " + action + " 7 8 " + option, FOR_ALL);
        assertRefused("task " + action + " 7 --all --dry-run", "--all and the id 7: it is one or the other");
    }

    @Test
    void tasks_cancelledById_takeNoFilter() {
        for (String option : TASK_FILTER) assertRefused("task cancel 7 " + option, FOR_ALL);
        assertRefused("task cancel --dry-run", "missing ID, or --all");
    }

    @ParameterizedTest
    @ValueSource(strings = {"repair ns 7", "repair ns 7 --simple", "remove ns 7"})
    void process_changedById_takesNoOptionOfAll(String change) {
        for (String option : List.of("--dry-run", "--status error", "--prefix 7"))
            assertRefused("process " + change + " " + option, "--dry-run, --status and --prefix are for --all");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            repair ns 7 --all --simple              | --all and the id 7: it is one or the other
            repair ns 7 --all --simple --dry-run    | --all and the id 7: it is one or the other
            remove ns 7 --all                       | --all and the id 7: it is one or the other
            remove ns 7 --all --dry-run             | --all and the id 7: it is one or the other
            remove ns --dry-run                     | are for --all
            repair ns --all                         | --all without --simple
            repair ns --all --dry-run               | --all without --simple
            repair ns --all --simple --status init  | --status init: it has to be error
            repair ns 7 {} --all --simple           | are for one process, not for --all
            repair ns --all --simple --file x       | are for one process, not for --all
            repair ns --all --simple --context {}   | are for one process, not for --all
            repair ns --all --simple --key k        | are for one process, not for --all
            repair ns --all --simple --timeout 7    | are for one process, not for --all
            """)
    void processes_changedByFilter_takeNothingOfOne(String words, String complaint) {
        assertRefused("process " + words, complaint);
    }

    @ParameterizedTest
    @ValueSource(strings = {"pause", "resume", "stop", "remove", "throttle", "between", "errors", "show", "list"})
    void sweep_thatThereIs_takesNoOptionOfASweepThatBegins(String command) {
        String name = command.equals("list") ? "" : " nightly";
        String value = command.equals("throttle") ? " 5" : command.equals("between") ? " always" : "";
        assertRefused("sweep " + command + name + value + " --dry-run", "unknown option");
        assertRefused("sweep --dry-run " + command + name + value, "--dry-run belongs behind the command " + command);
    }

    @Test
    void sweepSchema_behindOptionsOfASweep_isRefused() {
        CommandLineRun run = CommandLineRun.of("sweep", "--dry-run", "--name", "nightly", "schema");
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).contains("belongs behind the command schema");
    }

    // The command would remove another limit than the options name: that of the whole queue instead of that of a kind.
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ageing --kind k          | --kind is not for the setting ageing
            ageing --group g         | --group is not for the setting ageing
            ageing --each-group      | --each-group is not for the setting ageing
            ageing --each-node       | --each-node is not for the setting ageing
            ageing --period 1d       | --period is not for the setting ageing
            rate --each-node         | --each-node is not for the setting rate
            concurrency --period 1d  | --period is not for the setting concurrency
            share                    | --group is missing
            share --group g --kind k | --kind is not for the setting share
            """)
    void limit_removedWithAnOptionOfAnotherSetting_isRefused(String words, String complaint) {
        assertRefused("job limit remove mail " + words, complaint);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            job stats --by-tag --queue mail                 | --by-tag and --queue mail
            job calendar remove holidays 2026-12-25 --all   | DAYS has to be given, or all, and not both
            job calendar remove holidays                    | DAYS has to be given, or all, and not both
            job schedule put s k --cron @daily --period 1d  | it needs either --cron or --period
            job schedule next s --cron @daily               | either the NAME of a schedule is needed, or --cron
            job schedule next s --zone UTC                  | --zone UTC: it is for --cron
            job schedule next s --skipped-hour skip         | are for --cron
            sql SELECT --file x                             | only one of them
            """)
    void options_ofTwoWays_areRefusedTogether(String words, String complaint) {
        assertRefused(words, complaint);
    }
}
