package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.daemon.console.Json;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code howdah sweep} with work that is SQL, what it shows, and what it says to whoever asks for what cannot be. */
@PostgresTest
@Execution(ExecutionMode.SAME_THREAD) // signals belong to the process
@Tag("long")
class SweepCommandTest {
    private final TestDatabase database;

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path home;

    SweepCommandTest(TestDatabase database) {
        this.database = database;
    }

    private SweepRunner rows(int count) {
        return new SweepRunner(database, home).rows(count);
    }

    @Test
    void sql_isRunForEachBatch_andEachRowIsDoneOnce() {
        SweepRunner sweep = rows(500);
        database.execute("CREATE TABLE mail (id bigint, email text)");
        CommandLineRun run = sweep.run("--workers", "2", "--sql", "INSERT INTO mail SELECT id, email FROM batch");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).matches("mailing-7: done, 500 rows here in \\d+ s, 500 in all\n");
        assertThat(run.err())
                .matches("(?s)mailing-7: \\d+ %, [\\d,]+ of 500, .*")
                .doesNotContain("\r");
        assertThat(database.value("SELECT count(DISTINCT id) || ' ' || count(*) FROM mail"))
                .isEqualTo("500 500");
        assertThat(database.value("SELECT count(*) FROM subscription WHERE last_mail_at IS NULL"))
                .isEqualTo("0");
    }

    @Test
    void run_ofRowsThatAreStampedFirst_isDoneInItsOrder() {
        SweepRunner sweep = rows(300);
        database.execute("ALTER TABLE subscription ADD run integer; CREATE INDEX ON subscription (run, email, id);"
                + " CREATE TABLE mail (n bigint GENERATED ALWAYS AS IDENTITY, id bigint)");
        for (String[] stamps : List.of(new String[] {"--run-column", "run"}, new String[] {"--run-table"})) {
            List<String> words = new ArrayList<>(List.of(stamps));
            words.addAll(List.of(
                    "--order-by",
                    "email DESC",
                    "--workers",
                    "1",
                    "--sql",
                    "INSERT INTO mail (id) SELECT id FROM batch"));
            words.addAll(List.of("--batch", "10"));
            CommandLineRun run = sweep.run(Map.of("--name", "of " + stamps.length), words.toArray(String[]::new));
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(database.value("SELECT count(DISTINCT id) || ' ' || count(*) FROM mail"))
                    .isEqualTo("300 300");
            assertThat(
                            database.value(
                                    "SELECT count(*) FROM (SELECT m.n - min(m.n) OVER () + 1 - row_number() OVER"
                                            + " (ORDER BY s.email COLLATE \"C\" DESC) AS far FROM mail m JOIN subscription s USING (id)) x WHERE abs(far) > 10"))
                    .isEqualTo("0");
            database.execute("TRUNCATE mail; UPDATE subscription SET last_mail_at = NULL");
        }
        assertThat(sweep.run("--run-table", "--run-column", "run").err()).contains("only one of them");
    }

    @Test
    void key_ofManyColumns_isTaken() {
        database.execute("CREATE TABLE part (a int, \"b,c\" text, done bool DEFAULT false, PRIMARY KEY (a, \"b,c\"));"
                + " INSERT INTO part SELECT i, 'x', false FROM generate_series(1, 9) i");
        CommandLineRun run = new SweepRunner(database, home)
                .run(Map.of("--table", "part", "--where", "NOT done", "--key", "a, \"b,c\"", "--mark", "done = true"));
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(database.value("SELECT count(*) FROM part WHERE done")).isEqualTo("9");
    }

    @Test
    void json_isAnObjectOnALine_untilTheEnd() throws Exception {
        CommandLineRun run = rows(100).run("--json");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.err()).isEmpty();
        String last = run.out().lines().reduce((a, b) -> b).orElseThrow();
        assertThat(Json.texts(last))
                .containsEntry("name", "mailing-7")
                .containsEntry("state", "done")
                .containsEntry("total", "100")
                .containsEntry("done", "100")
                .containsEntry("left", "0");
    }

    @Test
    void screen_hasABar_inOneLine() {
        SweepRunner sweep = rows(100);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int exitCode = Main.run(
                sweep.words(Map.of()),
                new Terminal(
                        new PrintStream(out, false, StandardCharsets.UTF_8),
                        new PrintStream(err, false, StandardCharsets.UTF_8),
                        new ByteArrayInputStream(new byte[0]),
                        Map.of("HOME", home.toString()),
                        () -> true));
        assertThat(exitCode).isZero();
        assertThat(err.toString(StandardCharsets.UTF_8))
                .matches("(?s)\\[[#-]{20}] \\d+ %  \\d+ of 100  .*")
                .endsWith("\u001b[K")
                .contains("\r")
                .doesNotContain("\n");
        assertThat(out.toString(StandardCharsets.UTF_8)).startsWith("mailing-7: done, 100 rows here in ");
    }

    private static final Map<String, String> WEEKLY =
            Map.of("--where", "last_mail_at IS NULL OR last_mail_at < :started", "--name", "weekly");

    @Test // what a finished sweep says when it is started again, and how it begins anew
    void finished_startedAgain_saysThatNothingWasToDo_andAgainBeginsAnew() throws Exception {
        SweepRunner sweep = rows(1000);
        database.execute("CREATE TABLE mail (id bigint)");
        String[] work = {"--sql", "INSERT INTO mail SELECT id FROM batch"};
        assertThat(sweep.run(WEEKLY, work).out()).matches("weekly: done, 1,000 rows here in .*, 1,000 in all\n");
        CommandLineRun second = sweep.run(WEEKLY, work);
        assertThat(second.exitCode()).as(second.err()).isEqualTo(3);
        assertThat(second.out())
                .matches("weekly: done, nothing was to do: it had ended at [-0-9]{10} [0-9:.]{12}, with 1,000 in all;"
                        + " --again begins anew\n");
        assertThat(second.err()).startsWith("weekly: 100 %, 1,000 of 1,000, ");
        assertThat(Json.texts(sweep.book("list", "--json").out()))
                .containsEntry("total", "1000")
                .containsEntry("left", "0");
        CommandLineRun dry = sweep.run(WEEKLY, "--dry-run", "--sql", "INSERT INTO mail SELECT id FROM batch");
        assertThat(dry.out())
                .startsWith("rows to do: 0 of ")
                .containsPattern("\n:started is [-0-9]{10} [0-9:.]{12}, when the sweep of that name began; it ended at"
                        + " [-0-9]{10} [0-9:.]{12}, --again begins anew\n");
        CommandLineRun json = sweep.run(WEEKLY, "--json", "--sql", "INSERT INTO mail SELECT id FROM batch");
        assertThat(json.out().lines().map(SweepCommandTest::texts))
                .allSatisfy(each -> assertThat(each)
                        .containsEntry("total", "1000")
                        .containsEntry("left", "0")
                        .containsEntry("done_here", "0"));
        assertThat(database.value("SELECT count(*) FROM mail")).isEqualTo("1000");

        assertThat(sweep.run(WEEKLY, "--dry-run", "--again", "--sql", "SELECT FROM batch")
                        .err())
                .as("another work is another sweep")
                .contains("there is another sweep named weekly");
        CommandLineRun again = sweep.run(WEEKLY, work[0], work[1], "--again", "--dry-run");
        assertThat(again.out()).startsWith("rows to do: 1,000 of ").doesNotContain(":started");
        again = sweep.run(WEEKLY, work[0], work[1], "--again");
        assertThat(again.out()).matches("weekly: done, 1,000 rows here in .*, 1,000 in all\n");
        assertThat(database.value("SELECT count(*) || ' ' || count(DISTINCT id) FROM mail"))
                .isEqualTo("2000 1000");
        assertThat(Json.texts(sweep.book("history", "weekly", "--json").out()))
                .containsEntry("generation", "1")
                .containsEntry("state", "done")
                .containsEntry("done", "1000")
                .containsEntry("failed", "0")
                .containsKeys("started", "ended");
        assertThat(sweep.book("history", "weekly").out())
                .containsPattern(
                        "\n +1 \\| done +\\| [-0-9]{10} [0-9:.]{8,15}\\+\\S+ *\\| [-0-9]{10} [0-9:.]{8,15}\\+\\S+ *\\| +1000 \\| +0\n\\(1 row\\)");
        assertThat(sweep.book("history", "monthly").err()).contains("there is no sweep \"monthly\"");
    }

    private static Map<String, String> texts(String line) {
        try {
            return Json.texts(line);
        } catch (java.io.IOException e) {
            throw new AssertionError(line, e);
        }
    }

    @Test
    void dryRun_saysWhatWouldBe_andChangesNothing() throws Exception {
        SweepRunner sweep = rows(100);
        CommandLineRun run = sweep.run("--dry-run");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out())
                .contains("rows to do: 100 of \"public\".\"subscription\"\n", "locks at most: 400, of ", " Scan ")
                .contains("the first rows:\n  {\"id\":1,\"email\":\"p1@example.com\",\"last_mail_at\":null}\n")
                .contains("statements of each batch:\n", "last_mail_at = now()");
        assertThat(Json.texts(sweep.run("--dry-run", "--json").out())).containsEntry("rows", "100");
        assertThat(sweep.run("--dry-run", "--json").out()).contains("\"first\":[\"{\\\"id\\\":1,", "\"sql\":[\"");
        assertThat(database.value("SELECT to_regnamespace('howdah') IS NULL AND count(*) = 100 FROM subscription"
                        + " WHERE last_mail_at IS NULL"))
                .isEqualTo("t");
    }

    @Test
    void commands_ofTheBook_tellAndTurn() throws Exception {
        SweepRunner sweep = rows(10);
        assertThat(sweep.book("install").out()).isEqualTo("the tables of sweeps are up to date\n");
        assertThat(sweep.book("list").out()).contains("name", "time_left", "(0 rows)");
        assertThat(sweep.run("--attempts", "1", "--sql", "SELECT 1 / (id - 7) FROM batch")
                        .err())
                .endsWith(
                        "howdah: 1 row has failed: howdah sweep errors mailing-7 lists it, --retry-failed has it tried"
                                + " again\n");
        assertThat(sweep.book("list").out()).containsPattern("mailing-7 \\| done +\\| +9 \\| +1 \\| +0 \\|");
        assertThat(Json.texts(sweep.book("list", "--json").out())).containsEntry("failed", "1");
        assertThat(sweep.book("show", "mailing-7").out())
                .containsPattern("where +last_mail_at IS NULL\nkey +id\nmark +last_mail_at = now\\(\\)\n")
                .containsPattern("done +9\n");
        assertThat(sweep.book("show", "mailing-7", "--json").out()).contains("\"definition\":{", "\"workers\":[]");
        assertThat(sweep.book("errors", "mailing-7").out()).containsPattern("7 +\\| division by zero +\\|.*\\| +1 \\|");
        assertThat(sweep.book("errors", "mailing-7", "--json").out())
                .startsWith("{\"key\":[\"7\"],\"error\":\"division by zero\",")
                .contains("\"attempts\":1,\"retry_at\":null");
        assertThat(sweep.book("pause", "mailing-7").out())
                .isEqualTo("Sweep mailing-7 was not changed: it does not run.\n");
        assertThat(sweep.book("resume", "mailing-7").out()).isEqualTo("Sweep mailing-7 was not paused.\n");
        assertThat(sweep.book("throttle", "mailing-7", "50.5").out())
                .isEqualTo("The limit of sweep mailing-7 is set.\n");
        assertThat(sweep.book("throttle", "mailing-7", "50.5").out())
                .isEqualTo("Sweep mailing-7 has that limit already.\n");
        assertThat(sweep.book("show", "mailing-7").out()).containsPattern("throttle +50.5 rows/s\n");
        assertThat(sweep.book("throttle", "mailing-7", "-1").err())
                .contains("ROWS_PER_SECOND has to be a number from 0 to 1000000000, not \"-1\"");
        assertThat(sweep.book("stop", "mailing-7").out()).isEqualTo("Sweep mailing-7 was not changed: it has ended.\n");
        assertThat(sweep.book("retry-failed", "mailing-7", "--json").out())
                .isEqualTo("{\"changed\":true,\"rows\":1}\n");
        assertThat(sweep.book("remove", "mailing-7").out()).isEqualTo("Sweep mailing-7 is removed.\n");
        CommandLineRun gone = sweep.book("show", "mailing-7");
        assertThat(gone.exitCode()).isEqualTo(1);
        assertThat(gone.err()).isEqualTo("howdah: there is no sweep named mailing-7\n");
        assertThat(CommandLineRun.of("sweep", "schema").out()).contains("CREATE TABLE howdah.sweep");
    }

    @ParameterizedTest // what cannot be meant
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            --table=nosuch                | 1 | there is no table nosuch in this database
            --key=nosuch                  | 1 | table subscription has no column nosuch, only id, email, last_mail_at
            --key=                        | 2 | missing --key (see howdah sweep --help)
            --key=;--mark=                | 2 | missing --key, --mark (see howdah sweep --help)
            --key=id,                     | 2 | --key has to be a column, or several with commas between, not "id,"
            --order-by=nosuch             | 1 | table subscription has no column nosuch, only id, email, last_mail_at
            --where=nosuch IS NULL        | 1 | the condition is not accepted by PostgreSQL: column "nosuch" does not exist
            --mark=nosuch = 1             | 1 | the mark is not accepted by PostgreSQL: column "nosuch" of relation "subscription" does not exist
            --mark=email = 'x'            | 1 | the mark does not make the condition false: row 1 still matches the condition after its mark
            --sql=SELECT nosuch           | 1 | the work is not accepted by PostgreSQL: column "nosuch" does not exist
            --sql=SELECT 1;--exec=true    | 2 | --sql, --exec: only one of them
            --exec=true;--http=http://h   | 2 | --exec, --http: only one of them
            --timeout=5                   | 2 | --timeout without --exec or --http
            --header=a:b                  | 2 | --header without --http
            --workers=x                   | 2 | --workers has to be a number, not "x" (see howdah sweep --help)
            --workers=0                   | 2 | 0 workers: it has to be 1 to 1000
            --workers=500;--batch=10000   | 1 | 500 workers with batches of 10000 rows need 5000000 locks, and the server has room for
            --max-failures=-1             | 2 | at most -1 failures: it has to be 0 or more
            --throttle=-1                 | 2 | a throttle of -1.0 rows a second: it has to be more than 0
            --back-off-while=SELECT nosuch | 1 | the query that says whether the database suffers is not accepted by PostgreSQL: column "nosuch" does not exist
            """)
    void input_thatCannotBe_isRefusedInOneLine(String changes, int exitCode, String message) {
        SweepRunner sweep = rows(50);
        Map<String, String> options = new LinkedHashMap<>();
        for (String each : changes.split(";", -1)) options.put(each.split("=", 2)[0], each.split("=", 2)[1]);
        CommandLineRun run = sweep.run(options);
        assertThat(run.exitCode()).as(run.err()).isEqualTo(exitCode);
        String said = run.err().lines().reduce((a, b) -> b).orElseThrow();
        assertThat(said).startsWith("howdah: ").contains(message);
        assertThat(database.value("SELECT count(*) FROM subscription WHERE last_mail_at IS NOT NULL"))
                .isEqualTo("0");
    }

    @Test
    void largeTable_withoutAnIndex_isRefusedWithTheOneThatHelps() {
        database.execute("CREATE TABLE big AS SELECT i::bigint AS id, repeat('x', 900) AS text, false AS done"
                + " FROM generate_series(1, 10000) i; CREATE UNIQUE INDEX ON big (id) WHERE done; ANALYZE big");
        Map<String, String> big = Map.of("--table", "big", "--where", "NOT done", "--mark", "done = true");
        SweepRunner sweep = new SweepRunner(database, home);
        CommandLineRun run = sweep.run(big);
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .hasLineCount(1)
                .contains("CREATE UNIQUE INDEX CONCURRENTLY ON \"public\".\"big\" (\"id\")")
                .contains("CREATE INDEX CONCURRENTLY ON \"public\".\"big\" (\"id\") WHERE NOT done");
        CommandLineRun dry = sweep.run(big, "--dry-run");
        assertThat(dry.exitCode()).isEqualTo(1);
        assertThat(dry.err()).startsWith("howdah: it would be refused: ");
        assertThat(sweep.run(big, "--anyway", "--batch", "1000").exitCode()).isZero();
    }

    @Test // what --anyway does not help with
    void key_thatIsNotUnique_endsTheSweepBeforeItsRowsAreWorkedOn() {
        database.execute("CREATE TABLE loose (id integer, done boolean); INSERT INTO loose VALUES (7), (7)");
        Map<String, String> loose =
                Map.of("--table", "loose", "--where", "done IS NULL", "--mark", "done = true", "--exec", "/bin/true");
        CommandLineRun run = new SweepRunner(database, home).run(loose, "--anyway");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err().lines().reduce((a, b) -> b).orElseThrow())
                .startsWith("howdah: the key is not unique: 7 is that of several rows.");
        assertThat(database.value("SELECT count(*) FROM loose WHERE done")).isEqualTo("0");
    }

    @Test
    void name_ofAnotherSweep_isRefusedWithWhatDiffers() {
        SweepRunner sweep = rows(5);
        assertThat(sweep.run().exitCode()).isZero();
        CommandLineRun other = sweep.run(Map.of("--where", "last_mail_at IS NULL AND id > 2"));
        assertThat(other.exitCode()).isEqualTo(1);
        assertThat(other.err()).contains("where is \"last_mail_at IS NULL\", not \"last_mail_at IS NULL AND id > 2\"");
    }

    @Test
    void command_misspelt_orOptionsInFrontOfIt_isToldWhatWouldBeRight() {
        assertThat(CommandLineRun.of("sweep", "lits").err())
                .isEqualTo("howdah: unknown command lits: did you mean \"list\"? (see howdah sweep --help)\n");
        assertThat(CommandLineRun.of("sweep", "--url", "host=h", "list").err())
                .isEqualTo("howdah: --url belongs behind the command list (see howdah sweep list --help)\n");
    }
}
