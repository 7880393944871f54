package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** {@code howdah sweep --exec}: a program for each row, whatever it does. */
@PostgresTest
@Execution(ExecutionMode.SAME_THREAD) // signals belong to the process
@Tag("long")
class SweepExecTest {
    private final TestDatabase database;

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path home;

    SweepExecTest(TestDatabase database) {
        this.database = database;
    }

    private SweepRunner rows(int count) {
        return new SweepRunner(database, home).rows(count);
    }

    /** The file, as soon as it holds a line. */
    private String line(String name) {
        Path file = home.resolve(name);
        return await().atMost(Patience.LIMIT)
                .pollInterval(Duration.ofMillis(10))
                .until(() -> Files.exists(file) ? Files.readString(file) : "", text -> text.endsWith("\n"));
    }

    private List<String> files(String suffix) throws IOException {
        try (Stream<Path> all = Files.list(home)) {
            return all.map(each -> each.getFileName().toString())
                    .filter(each -> each.endsWith(suffix))
                    .sorted()
                    .toList();
        }
    }

    private void awaitDead(long pid) {
        await().atMost(Patience.LIMIT)
                .until(() -> ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false), alive -> !alive);
    }

    @Test
    void program_getsTheRowAndItsKey_withoutAShellBetween() throws Exception {
        SweepRunner sweep = rows(3);
        database.execute("CREATE TABLE odd (id text PRIMARY KEY, body text, last_mail_at timestamptz);"
                + " INSERT INTO odd VALUES ('$(touch x); *', repeat('é\"', 100000), NULL)");
        String script = sweep.script(
                "[ $# = 3 ] && [ \"$1\" = --to ] && cat > \"HERE/$(echo \"$3\" | md5sum | cut -c1-4).json\"");
        CommandLineRun run = sweep.run("--exec", script, "--", "--to", "a b");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(files(".json")).hasSize(3);
        CommandLineRun odd = sweep.run(Map.of("--name", "odd", "--table", "odd"), "--exec", script, "--", "--to", "");
        assertThat(odd.exitCode()).as(odd.err()).isZero();
        assertThat(files(".json")).hasSize(4);
        try (Stream<Path> all = Files.list(home)) {
            assertThat(all.filter(each -> each.toString().endsWith(".json")).map(Documents::read))
                    .contains("{\"id\":1,\"email\":\"p1@example.com\",\"last_mail_at\":null}")
                    .contains("{\"id\":\"$(touch x); *\",\"body\":\"" + "é\\\"".repeat(100_000)
                            + "\",\"last_mail_at\":null}");
        }
    }

    @Test
    void program_thatFails_leavesItsLastWords_andIsTriedAgainWhenSomebodySaysSo() throws Exception {
        SweepRunner sweep = rows(5);
        String script = sweep.script("[ $1 != 2 ] || { echo 'no such mailbox' >&2; exit 3; }");
        CommandLineRun run = sweep.run("--attempts", "1", "--exec", script);
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(sweep.book("errors", "mailing-7", "--json").out())
                .hasLineCount(1)
                .contains("\"key\":[\"2\"]", "\"error\":\"exit code 3: no such mailbox\"");
        String better = sweep.script("exit 0");
        assertThat(sweep.run("--exec", better).exitCode())
                .as("nobody has said so")
                .isEqualTo(1);
        CommandLineRun again = sweep.run("--retry-failed", "--exec", better);
        assertThat(again.exitCode()).as(again.err()).isZero();
        assertThat(database.value("SELECT count(*) FROM subscription WHERE last_mail_at IS NULL"))
                .isEqualTo("0");
    }

    @Test // EX_TEMPFAIL: the mail server behind it is away
    void program_thatSaysLater_costsNoRowAnAttempt() throws Exception {
        SweepRunner sweep = rows(5);
        String script = sweep.script(
                "echo $1 >> HERE/calls", "[ $(wc -l < HERE/calls) -gt 2 ] || { echo 'no server' >&2; exit 75; }");
        CommandLineRun run = sweep.run("--workers", "1", "--attempts", "1", "--exec", script);
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(Files.readAllLines(home.resolve("calls"))).hasSize(7);
        assertThat(database.value("SELECT count(*) FROM howdah.sweep_error")).isEqualTo("0");
    }

    @Test
    void program_thatWritesAGigabyte_hurtsNobody() throws Exception {
        SweepRunner sweep = rows(1);
        String script = sweep.script(
                "head -c 1073741824 /dev/zero",
                "head -c 30000000 /dev/zero | tr '\\0' e >&2",
                "echo last >&2",
                "exit 1");
        CommandLineRun run = sweep.run("--attempts", "1", "--exec", script);
        assertThat(run.exitCode()).isEqualTo(1);
        String error = database.value("SELECT error FROM howdah.sweep_error");
        assertThat(error).startsWith("exit code 1: ...eee").endsWith("elast").hasSizeLessThan(1_100);
    }

    @Test
    void program_thatNeverEnds_isKilledWithWhatItHasStarted() throws Exception {
        SweepRunner sweep = rows(1);
        String script = sweep.script("echo hello >&2", "sleep 1000 & echo $! > HERE/pid", "wait");
        CommandLineRun run = sweep.run("--attempts", "1", "--timeout", "5", "--exec", script);
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(database.value("SELECT error FROM howdah.sweep_error"))
                .isEqualTo("the program has not ended within 5 s: hello");
        awaitDead(Long.parseLong(line("pid").strip()));
    }

    @Test
    void program_thatLeavesSomethingRunning_isOverWhenItEnds() throws Exception {
        SweepRunner sweep = rows(2);
        String script = sweep.script("sleep 1000 & echo $! > HERE/pid$1", "exit 0");
        assertThat(sweep.run("--timeout", "600", "--exec", script).exitCode()).isZero();
        for (String each : List.of("pid1", "pid2"))
            ProcessHandle.of(Long.parseLong(line(each).strip())).ifPresent(ProcessHandle::destroyForcibly);
    }

    @Test
    void program_thatIsNotThere_isSaidBeforeAnythingBegins() throws Exception {
        SweepRunner sweep = rows(1);
        Path text = Files.writeString(home.resolve("text"), "hello");
        for (List<String> each : List.of(
                List.of("./nosuch.sh", "there is no program ./nosuch.sh"),
                List.of("nosuch", "there is no program nosuch on the PATH; one in this directory is ./nosuch"),
                List.of("mail -s x", "there is no program mail -s x; its arguments come behind it, after --"),
                List.of(text.toString(), text + " cannot be run: chmod +x " + text),
                List.of(home.toString(), home + " is not a program"))) {
            CommandLineRun run = sweep.run("--exec", each.get(0));
            assertThat(run.exitCode()).isEqualTo(2);
            assertThat(run.err()).isEqualTo("howdah: --exec: " + each.get(1) + "\n");
        }
        assertThat(database.value("SELECT to_regnamespace('howdah') IS NULL")).isEqualTo("t");
    }

    @Test
    void program_thatGoesAway_endsTheSweepHere_andNoRowIsToBlame() throws Exception {
        SweepRunner sweep = rows(50);
        String script = sweep.script("[ $1 != 5 ] || rm -f HERE/work.sh");
        CommandLineRun run = sweep.run("--workers", "1", "--exec", script);
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .endsWith("howdah: the program of --exec is not there any more; the same command goes on\n");
        assertThat(database.value("SELECT count(*) FROM subscription WHERE last_mail_at IS NOT NULL"))
                .isEqualTo("5");
        assertThat(sweep.book("errors", "mailing-7", "--json").out()).isEmpty();
        assertThat(sweep.run("--exec", sweep.script("exit 0")).exitCode()).isZero();
    }

    @Test // leave, join, stop
    void interrupted_finishesRowsInWork_andAnotherGoesOn() throws Exception {
        SweepRunner sweep = rows(8);
        String script = sweep.script(
                "echo $1 >> HERE/begun", "while [ ! -e HERE/go ]; do sleep 0.05; done", "echo $1 >> HERE/ended");
        try (HowdahProcess first = sweep.start("--workers", "2", "--exec", script)) {
            line("begun");
            first.interrupt();
            first.says("howdah: stopping: rows in work are finished, nothing else begins; Ctrl-C again ends at once");
            Files.writeString(home.resolve("go"), "");
            assertThat(first.exitCode()).as(first.err()).isEqualTo(130);
            assertThat(first.out()).startsWith("mailing-7: not over, ");
        }
        assertThat(Files.readAllLines(home.resolve("ended")))
                .hasSize(Integer.parseInt(String.valueOf(
                        database.value("SELECT count(*) FROM subscription WHERE last_mail_at IS NOT NULL"))))
                .hasSizeBetween(1, 2);
        try (HowdahProcess second = sweep.start("--workers", "2", "--exec", script)) {
            assertThat(second.exitCode()).as(second.err()).isZero();
        }
        assertThat(Files.readAllLines(home.resolve("ended")))
                .containsExactlyInAnyOrder("1", "2", "3", "4", "5", "6", "7", "8");
    }

    @Test
    void interruptedTwice_killsWhatNeverEnds() throws Exception {
        SweepRunner sweep = rows(2);
        String script = sweep.script("sleep 1000 & echo $! > HERE/pid", "wait");
        try (HowdahProcess process = sweep.start("--workers", "1", "--exec", script)) {
            long pid = Long.parseLong(line("pid").strip());
            process.interrupt();
            process.says("howdah: stopping");
            process.interrupt();
            assertThat(process.exitCode()).isEqualTo(130);
            awaitDead(pid);
        }
        assertThat(database.value("SELECT count(*) FROM subscription WHERE last_mail_at IS NULL"))
                .isEqualTo("2");
    }

    @Test // the same command joins; what was in work at the kill is done by the other
    void killed_itsRowsAreDoneByWhoHasJoined() throws Exception {
        SweepRunner sweep = rows(40);
        try (HowdahProcess first =
                sweep.start("--workers", "2", "--exec", sweep.script("echo $1 >> HERE/begun", "sleep 1000"))) {
            line("begun");
            CommandLineRun other = sweep.run("--sql", "SELECT 1 FROM batch");
            assertThat(other.exitCode()).as("another work is another sweep").isEqualTo(1);
            try (HowdahProcess second = sweep.start("--workers", "2", "--exec", "true")) {
                await().atMost(Patience.LIMIT)
                        .until(() -> database.value("SELECT count(*) FROM howdah_internal.sweep_process"), "2"::equals);
                first.kill();
                assertThat(second.exitCode()).as(second.err()).isZero();
            }
            // They outlive whoever is killed, and nobody else ends them.
            ProcessHandle.allProcesses()
                    .filter(each -> each.info().commandLine().orElse("").contains(home.toString()))
                    .forEach(each -> {
                        each.descendants().forEach(ProcessHandle::destroyForcibly);
                        each.destroyForcibly();
                    });
        }
        assertThat(database.value("SELECT count(*) FROM subscription WHERE last_mail_at IS NULL"))
                .isEqualTo("0");
    }

    @Test
    void pausedAndStopped_fromElsewhere() throws Exception {
        SweepRunner sweep = rows(1000);
        try (HowdahProcess process = sweep.start("--json", "--throttle", "10")) {
            await().atMost(Patience.LIMIT).until(() -> process.out().contains("\"state\":\"running\""));
            assertThat(sweep.book("pause", "mailing-7").out()).isEqualTo("Sweep mailing-7 is paused.\n");
            await().atMost(Patience.LIMIT).until(() -> process.out().contains("\"state\":\"paused\""));
            assertThat(sweep.book("list").out()).containsPattern("mailing-7 \\| paused");
            assertThat(sweep.book("resume", "mailing-7").out()).isEqualTo("Sweep mailing-7 goes on.\n");
            assertThat(sweep.book("show", "mailing-7").out()).contains("throttle  10.0 rows/s", "process | ");
            CommandLineRun removed = sweep.book("remove", "mailing-7");
            assertThat(removed.err())
                    .isEqualTo("howdah: sweep mailing-7 was not removed: it has not ended, stop it first\n");
            assertThat(sweep.book("stop", "mailing-7").out()).isEqualTo("Sweep mailing-7 is stopped.\n");
            assertThat(process.exitCode()).isEqualTo(1);
            assertThat(process.err()).contains("howdah: the sweep was stopped; the same command goes on\n");
        }
    }
}
