package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@PostgresTest
class SqlCommandTest {
    private final TestDatabase database;

    SqlCommandTest(TestDatabase database) {
        this.database = database;
    }

    private CommandLineRun sql(String... arguments) {
        String[] all = new String[arguments.length + 3];
        all[0] = "sql";
        all[1] = "--url";
        all[2] = database.uri();
        System.arraycopy(arguments, 0, all, 3, arguments.length);
        return CommandLineRun.of("SELECT 'from stdin'", Map.of("HOME", "/nonexistent"), all);
    }

    @Test
    void sql_severalStatements_printsTablesAndTags() {
        CommandLineRun run = sql("CREATE TABLE t (n int, s text); INSERT INTO t VALUES (1, 'é'), (20, NULL);"
                + " SELECT * FROM t; DELETE FROM t WHERE n = 1 RETURNING n; COPY t TO STDOUT");
        assertThat(run.err()).isEmpty();
        assertThat(run.exitCode()).isZero();
        assertThat(run.out())
                .isEqualTo("CREATE TABLE\nINSERT 0 2\n n  | s \n----+---\n  1 | é\n 20 | \n(2 rows)\n\n"
                        + " n \n---\n 1\n(1 row)\n\nDELETE 1\n20\t\\N\n");
    }

    @Test
    void sql_beginningWithAComment_isNoOption() {
        assertThat(sql("-- what is it?\nSELECT 42 AS answer").out()).contains(" 42\n");
        assertThat(sql("--answer me\nSELECT 42 AS answer").out()).contains(" 42\n");
        assertThat(sql("--answer").err()).startsWith("howdah: unknown option --answer");
    }

    @Test
    void sql_withoutAnArgument_andWithoutAKeyboard_isThatOfTheStandardInput() {
        assertThat(sql().out()).contains("from stdin\n(1 row)\n");
        assertThat(sql("-").out()).isEqualTo(sql().out());
    }

    @Test
    void sql_asCsv_isWhatASpreadsheetReads() {
        CommandLineRun run = sql(
                "--csv",
                "SELECT -1 AS n, 'a \"b\", c' AS \"the text\", NULL AS nothing, '=1+1' AS formula; CREATE TEMP TABLE t (); SELECT 2 AS m");
        assertThat(run.out()).isEqualTo("n,the text,nothing,formula\r\n-1,\"a \"\"b\"\", c\",,\"'=1+1\"\r\nm\r\n2\r\n");
        assertThat(sql("--csv", "--json", "SELECT 1").err()).isEqualTo("howdah: --json and --csv: only one of them\n");
    }

    @Test
    void sql_columns_areChosenByName_ofEachResultAndInEachForm() {
        String text = "SELECT 1 AS a, NULL AS b, 'x' AS c; CREATE TEMP TABLE t (); SELECT 2 AS c, 3 AS b";
        assertThat(sql("--columns", "c, b", text).out())
                .isEqualTo(" c | b \n---+---\n x | \n(1 row)\n\nCREATE TABLE\n c | b \n---+---\n 2 | 3\n(1 row)\n\n");
        assertThat(sql("--csv", "--columns", "c", text).out()).isEqualTo("c\r\nx\r\nc\r\n2\r\n");
        assertThat(sql("--json", "--columns", "b,b", text).out())
                .isEqualTo("[{\"b\":null,\"b_2\":null}]\n{\"tag\":\"CREATE TABLE\"}\n[{\"b\":3,\"b_2\":3}]\n");
        CommandLineRun unknown = sql("--columns", "d", text);
        assertThat(unknown.exitCode()).isEqualTo(2);
        assertThat(unknown.err()).isEqualTo("howdah: --columns: there is no column d; there are a, b, c\n");
    }

    @Test
    void sql_errorAfterChanges_saysThatTheyWereRolledBack() {
        assertThat(sql("CREATE TABLE gone (); SELECT nope").err())
                .endsWith("howdah: what the statements before it did was rolled back, too: all are one transaction\n");
        assertThat(sql("SELECT * FROM gone").err()).contains("does not exist");
        assertThat(sql("BEGIN; CREATE TABLE stays (); COMMIT; SELECT nope").err())
                .doesNotContain("rolled back");
        assertThat(sql("SELECT * FROM stays").exitCode()).isZero();
    }

    @Test
    void value_thatTheServerCannotRead_isWrongUsageOfItsOption() {
        assertThat(at(database.uri(), "sql", "CREATE TABLE task (id bigserial, input text, plan timestamptz)")
                        .exitCode())
                .isZero();
        CommandLineRun plan = at(database.uri(), "task", "add", "--plan", "5 bananas", "SELECT 1");
        assertThat(plan.err())
                .isEqualTo("howdah: --plan: invalid input syntax for type timestamp with time zone: \"5 bananas\"\n");
        assertThat(plan.exitCode()).isEqualTo(2);
    }

    @Test
    void sql_error_isPrintedLikePsqlAndFails() {
        CommandLineRun run = sql("SELECT 1 AS one;\nSELECT nope");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .isEqualTo("ERROR:  column \"nope\" does not exist\nLINE 2: SELECT nope\n               ^\n");
    }

    /** By the program's own client, and by the driver. */
    @Test
    void connect_asAnUnknownRoleOrToAnUnknownHost_saysSoOnce() {
        String role = "no_such_role_" + database.name();
        String unknown = database.uri().replace("postgres@", role + "@");
        for (String[] command : new String[][] {{"sql", "SELECT 1"}, {"task", "list"}, {"task", "add", "SELECT 1"}}) {
            CommandLineRun run = at(unknown, command);
            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.err())
                    .containsOnlyOnce("role \"" + role + "\" does not exist")
                    .hasLineCount(1);
            run = at("postgresql://app@no-such-host.invalid/postgres", command);
            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.err())
                    .containsIgnoringCase("unknown host")
                    .containsOnlyOnce("\"no-such-host.invalid\"")
                    .hasLineCount(1);
        }
    }

    private static CommandLineRun at(String url, String... command) {
        String[] all = Arrays.copyOf(command, command.length + 2);
        all[command.length] = "--url";
        all[command.length + 1] = url;
        return CommandLineRun.of("", Map.of("HOME", "/nonexistent"), all);
    }

    @Test
    void sql_notice_goesToStandardError() {
        CommandLineRun run = sql("DO $$ BEGIN RAISE NOTICE 'look'; RAISE WARNING 'out'; END $$");
        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).isEqualTo("DO\n");
        assertThat(run.err()).startsWith("NOTICE:  look\nWARNING:  out\n");
    }

    @Test
    void sql_json_hasOneLineForEachStatement() {
        CommandLineRun run = sql(
                "--json",
                "SELECT 9007199254740993 AS n, 1.10 AS n, true AS b, NULL AS z, 'NaN'::float8 AS f, '{\"k\": [1.0,\n2]}'::json AS j,"
                        + " '2001-02-03'::date AS d; SELECT 1 WHERE false; CREATE TABLE t (); COPY (VALUES (1), (2)) TO STDOUT");
        assertThat(run.out())
                .isEqualTo(
                        "[{\"n\":9007199254740993,\"n_2\":1.10,\"b\":true,\"z\":null,\"f\":\"NaN\",\"j\":{\"k\":[1.0,2]},"
                                + "\"d\":\"2001-02-03\"}]\n[]\n{\"tag\":\"CREATE TABLE\"}\n{\"copy\":\"1\\n2\\n\"}\n");
    }

    @Test
    void sql_jsonError_isALineToo() {
        CommandLineRun run = sql("--json", "SELECT 1/n FROM generate_series(1, 0, -1) AS n");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out())
                .isEqualTo(
                        "[{\"?column?\":1}]\n{\"error\":{\"severity\":\"ERROR\",\"code\":\"22012\",\"message\":\"division by zero\"}}\n");
    }

    @Test
    void sql_fromStandardInputOrFile_isRead(@TempDir Path directory) throws IOException {
        assertThat(sql("-").out()).contains(" from stdin\n");
        Path file = Files.writeString(directory.resolve("some file.sql"), "SELECT 'from file'");
        assertThat(sql("--file", file.toString()).out()).contains(" from file\n");
        assertThat(sql("--file", file + "x").err()).isEqualTo("howdah: --file: there is no file " + file + "x\n");
        assertThat(sql(" ").err()).isEqualTo("howdah: the SQL is empty\n");
    }

    @Test
    void sql_databaseNotThere_saysWhichAndWhy() {
        CommandLineRun run = CommandLineRun.of("sql", "--url", "postgresql://me:secret@127.0.0.1:1/x", "SELECT 1");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .startsWith("howdah: cannot connect to database \"x\" at 127.0.0.1:1 as user \"me\"")
                .doesNotContain("secret")
                .hasLineCount(1);
    }
}
