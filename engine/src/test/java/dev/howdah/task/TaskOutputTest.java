package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows, names, tags, NULL, quotes and delimiters. */
@PostgresTest
class TaskOutputTest {
    private static ServedTable tasks;

    @BeforeAll
    static void serve(TestDatabase database) {
        tasks = ServedTable.in(database);
    }

    @AfterAll
    static void stop() {
        tasks.close();
    }

    private static String output(String input, String... columns) {
        Task task = tasks.run(input, columns);
        assertThat(task.error()).isNull();
        assertThat(task.state()).isEqualTo(TaskState.DONE);
        return String.valueOf(task.output());
    }

    @Test
    void rows_oneColumn_haveNoHeader() {
        assertThat(output("SELECT 40 + 2 AS answer")).isEqualTo("42");
    }

    @Test
    void rows_severalColumns_standBelowTheirNames() {
        assertThat(output("SELECT i AS num, i * i AS square FROM generate_series(1, 3) i"))
                .isEqualTo("num\tsquare\n1\t1\n2\t4\n3\t9");
    }

    @Test
    void rows_severalStatements_followEachOther() {
        assertThat(output("SELECT 1 AS a, 2 AS b; SELECT 3 AS c; SELECT 4 AS d, 5 AS e"))
                .isEqualTo("a\tb\n1\t2\n3\nd\te\n4\t5");
    }

    @Test
    void rows_none_addNothing() {
        assertThat(output("SELECT 1 AS a; SELECT 2 AS b, 3 AS c WHERE false; SELECT 3 AS c;"))
                .isEqualTo("1\n3");
    }

    @Test
    void rows_headerOff_standAlone() {
        assertThat(output("SELECT 1 AS a, 2 AS b; SELECT 3 AS c, 4 AS d", "header", "off"))
                .isEqualTo("1\t2\n3\t4");
    }

    @Test
    void header_namesOfAllKinds_areThoseOfTheQuery() {
        assertThat(output("SELECT 1, 2 AS \"a b\", 3 AS \"q\"\"r\", 4 AS x, 5 AS x, now() IS NULL, upper('z')"))
                .startsWith("?column?\ta b\tq\"r\tx\tx\t?column?\tupper\n");
        assertThat(output("SELECT datname AS x, oid AS y FROM pg_database WHERE datname = 'template1'"))
                .startsWith("x\ty\n");
        assertThat(output("VALUES (1, 2), (3, 4)")).isEqualTo("column1\tcolumn2\n1\t2\n3\t4");
    }

    @Test
    void tags_statementsWithoutRows_areShown() {
        assertThat(output("CREATE TEMP TABLE t (i int); INSERT INTO t SELECT generate_series(1, 3);"
                        + " UPDATE t SET i = i + 1; UPDATE t SET i = 0 WHERE false; DELETE FROM t WHERE i = 2;"
                        + " SELECT * FROM t ORDER BY i; CREATE INDEX ON t (i); TRUNCATE t; DROP TABLE t;"
                        + " DO 'BEGIN END'; SET work_mem = '5MB'"))
                .isEqualTo("CREATE TABLE\nINSERT 0 3\nUPDATE 3\nUPDATE 0\nDELETE 1\n3\n4\nCREATE INDEX\nTRUNCATE TABLE"
                        + "\nDROP TABLE\nDO\nSET");
    }

    @Test
    void tags_statementsWithRows_areNotShown() { // RETURNING, VALUES, TABLE, SHOW, FETCH, EXECUTE, EXPLAIN
        assertThat(
                        output(
                                "CREATE TEMP TABLE t (i int); INSERT INTO t VALUES (1), (2) RETURNING i;"
                                        + " UPDATE t SET i = 3 WHERE false RETURNING i; TABLE t; VALUES (7); SHOW server_encoding;"
                                        + " PREPARE p AS SELECT 8; EXECUTE p; DECLARE c CURSOR FOR SELECT 9; FETCH c; MOVE c;"
                                        + " EXPLAIN (COSTS OFF) SELECT 10; CREATE TEMP TABLE u AS SELECT 11 AS x; SELECT 12 INTO TEMP v"))
                .isEqualTo("CREATE TABLE\n1\n2\n1\n2\n7\nUTF8\nPREPARE\n8\nDECLARE CURSOR\n9\nMOVE 0\nResult\nSELECT 1"
                        + "\nSELECT 1");
    }

    @Test
    void values_null_isShownAsTheColumnSays() {
        assertThat(output("SELECT true AS a, false AS b, NULL::bool AS c")).isEqualTo("a\tb\tc\nt\tf\t\\N");
        assertThat(output("SELECT NULL; SELECT NULL")).isEqualTo("\\N\n\\N");
        assertThat(output("SELECT NULL AS a, 'NULL' AS b", "null", "NULL", "quote", "\""))
                .isEqualTo("\"a\"\t\"b\"\nNULL\t\"NULL\"");
        assertThat(output("SELECT NULL::int AS a, 1 AS b, NULL AS c", "null", ""))
                .isEqualTo("a\tb\tc\n\t1\t");
        assertThat(output("SELECT NULL", "null", "nichts – gar nichts")).isEqualTo("nichts – gar nichts");
        assertThat(output("SELECT NULL", "null", "")).isEmpty();
    }

    @Test
    void values_numbers_areAsTheServerWritesThem() {
        assertThat(output(
                        "SELECT 1::int2, 1.50, 0.1::float8 + 0.2, 'NaN'::numeric, '-Infinity'::float8", "header", "f"))
                .isEqualTo("1\t1.50\t0.30000000000000004\tNaN\t-Infinity");
    }

    @Test
    void values_otherTypes_areAsTheServerWritesThem() {
        assertThat(output(
                        "SELECT 'c'::char(3), ' x ', '{\"b\":1,  \"a\":null}'::json, '{\"b\":1}'::jsonb, B'101',"
                                + " 'pg_class'::regclass, '(0,1)'::tid, ARRAY['a', NULL, 'b c'], 'b a'::tsvector,"
                                + " '10.0.0.1/8'::inet",
                        "header",
                        "f"))
                .isEqualTo("c  \t x \t{\"b\":1,  \"a\":null}\t{\"b\": 1}\t101\tpg_class\t(0,1)\t{a,NULL,\"b c\"}"
                        + "\t'a' 'b'\t10.0.0.1/8");
    }

    @Test
    void values_bytea_followTheSessionsSetting() {
        assertThat(output("SELECT '\\xdead00be'::bytea; SET bytea_output = escape; SELECT '\\x6100ff'::bytea"))
                .isEqualTo("\\xdead00be\nSET\na\\000\\377");
    }

    @Test
    void values_unquoted_areLeftAsTheyAre() {
        assertThat(output("SELECT E'a\tb' AS x, E'c\nd' AS y, 'e\\f\"g' AS z", "escape", "\\"))
                .isEqualTo("x\ty\tz\na\tb\tc\nd\te\\f\"g");
    }

    @ParameterizedTest
    @ValueSource(strings = {",", "|", "\n", " ", "\u0001"})
    void delimiter_oneCharacter_standsBetweenColumns(String delimiter) {
        assertThat(output("SELECT 'a,b' AS x, 'c' AS y", "delimiter", delimiter))
                .isEqualTo("x" + delimiter + "y\na,b" + delimiter + "c");
    }

    @Test
    void delimiter_empty_putsNothingBetweenColumns() { // in the extension it cuts the output
        assertThat(output("SELECT 1 AS a, 2 AS b; SELECT 3", "delimiter", "")).isEqualTo("ab\n12\n3");
    }

    @ParameterizedTest
    @CsvSource({"delimiter, ä", "quote, „", "escape, ¬"})
    void marks_notAscii_failWithTheReason(String column, String value) { // bad rows
        Task task = tasks.run("SELECT 1 AS a, 2 AS b", column, value);
        assertThat(task.state()).isEqualTo(TaskState.FAIL);
        assertThat(task.error()).isEqualTo("ERROR:  delimiter, escape and quote take one ASCII character each");
        assertThat(task.output()).isEmpty();
    }

    @Test
    void quote_stringOn_quotesAllButNumbersBooleansAndNull() {
        assertThat(output(
                        "SELECT 1 AS i, 'x' AS t, NULL AS n, true AS b, 1.5 AS num, '{\"a\":1}'::json AS j,"
                                + " '2020-01-02'::date AS d, ARRAY[1] AS ar",
                        "quote",
                        "\""))
                .isEqualTo("\"i\"\t\"t\"\t\"n\"\t\"b\"\t\"num\"\t\"j\"\t\"d\"\t\"ar\"\n"
                        + "1\t\"x\"\t\\N\tt\t1.5\t\"{\"a\":1}\"\t\"2020-01-02\"\t\"{1}\"");
        assertThat(output("SELECT 'one'", "quote", "\"")).isEqualTo("\"one\"");
        assertThat(output("SELECT 1", "quote", "\"")).isEqualTo("1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1::int2",
                "1::int4",
                "1::int8",
                "1.5::float4",
                "1.5::float8",
                "1.5::numeric",
                "true",
                "'1'::bit",
                "'1'::oid",
                "'(0,1)'::tid",
                "'1'::xid",
                "'1'::cid"
            })
    void quote_typesThatAreNoStrings_stayBare(String value) { // the list of types
        assertThat(output("SELECT " + value, "quote", "\"")).doesNotContain("\"");
        assertThat(output("SELECT " + value, "quote", "\"", "string", "off"))
                .startsWith("\"")
                .endsWith("\"");
    }

    @Test
    void quote_stringOff_quotesAllButNull() {
        assertThat(output("SELECT 1 AS i, 'x' AS t, NULL AS n, true AS b", "quote", "\"", "string", "off"))
                .isEqualTo("\"i\"\t\"t\"\t\"n\"\t\"b\"\n\"1\"\t\"x\"\t\\N\t\"t\"");
        assertThat(output("SELECT 1", "quote", "'", "string", "off")).isEqualTo("'1'");
        assertThat(output("SELECT 1 AS i, 'x' AS t", "string", "off")).isEqualTo("i\tt\n1\tx");
    }

    @Test
    void quote_withEscape_escapesQuotesAndEscapes() {
        assertThat(output("SELECT 'a\\b\"c' AS \"q\"\"r\", 1 AS x", "quote", "\"", "escape", "\\"))
                .isEqualTo("\"q\\\"r\"\t\"x\"\n\"a\\\\b\\\"c\"\t1");
    }

    @Test
    void quote_withDelimiterAndEscape_makesCsv() {
        assertThat(output(
                        "CREATE TEMP TABLE t (i int, s text); INSERT INTO t VALUES (1, 'plain'), (2, 'com,ma'),"
                                + " (3, 'quo\"te'), (4, E'new\nline'), (5, ''), (NULL, NULL); SELECT * FROM t",
                        "delimiter",
                        ",",
                        "quote",
                        "\"",
                        "escape",
                        "\"",
                        "null",
                        ""))
                .isEqualTo("CREATE TABLE\nINSERT 0 6\n\"i\",\"s\"\n1,\"plain\"\n2,\"com,ma\"\n3,\"quo\"\"te\"\n"
                        + "4,\"new\nline\"\n5,\"\"\n,");
    }

    @Test
    void lines_firstOneEmpty_isKept() { // the number of lines tells the number of rows
        assertThat(output("SELECT '' UNION ALL SELECT 'x'")).isEqualTo("\nx");
        assertThat(output("SELECT ''; SELECT 'y'")).isEqualTo("\ny");
    }

    @Test
    void lines_emptyOnes_areKept() {
        assertThat(output("SELECT 'x' UNION ALL SELECT '' UNION ALL SELECT ''")).isEqualTo("x\n\n");
        assertThat(output("SELECT '' AS a, '' AS b")).isEqualTo("a\tb\n\t");
    }

    @Test
    void rows_withoutColumns_areEmptyLines() {
        assertThat(output("SELECT")).isEmpty();
        assertThat(output("SELECT FROM generate_series(1, 3)")).isEqualTo("\n\n");
    }

    @Test
    void copy_toStdout_goesIntoTheOutput() {
        assertThat(output("COPY (VALUES (1, 'a'), (2, NULL)) TO STDOUT")).isEqualTo("1\ta\n2\t\\N");
        assertThat(output("SELECT 0; COPY (SELECT 1) TO STDOUT; COPY (SELECT 2 WHERE false) TO STDOUT; SELECT 3"))
                .startsWith("0\n1\n")
                .endsWith("3");
        assertThat(output("COPY (VALUES ('x')) TO PROGRAM 'cat >/dev/null'")).isEqualTo("COPY 1");
    }

    @Test
    void text_notAscii_arrivesWhole() {
        assertThat(output("SELECT 'äöü – 語 – \uD83D\uDE00' AS \"größe\", 2 AS \"語\""))
                .isEqualTo("größe\t語\näöü – 語 – \uD83D\uDE00\t2");
    }

    @Test
    void text_sessionKeepsAnotherClientEncoding_isReadInThatEncoding() {
        String group = tasks.newGroup();
        for (String encoding : new String[] {"LATIN1", "WIN1252", "LATIN9", "SQL_ASCII"}) {
            tasks.add("SET client_encoding = '" + encoding + "'", "group", group, "count", "99", "save", "on");
            tasks.add("SELECT 'é' AS ü, 2 AS b", "group", group, "count", "99", "save", "on");
        }
        tasks.settled(group);
        assertThat(tasks.all(group, "state")).doesNotContain("FAIL");
        assertThat(tasks.all(group, "CASE WHEN output <> 'SET' THEN output END"))
                .startsWith("-|ü\tb\né\t2|-|ü\tb\né\t2|-|ü\tb\né\t2|-|");
        assertThat(output("SELECT 'ü語'")).isEqualTo("ü語");
    }

    @Test
    void text_taskSetsClientEncoding_remainsText() {
        assertThat(output("SELECT 'é'; SET client_encoding = 'LATIN1'; SELECT 'x'"))
                .isEqualTo("é\nSET\nx");
        assertThat(output("SELECT 'ü語'")).isEqualTo("ü語");
    }

    @Test
    void notices_ofAllLevels_appearNowhere() {
        assertThat(output("DO $$ BEGIN RAISE NOTICE 'n'; RAISE INFO 'i'; RAISE WARNING 'w'; END $$; SELECT 1"))
                .isEqualTo("DO\n1");
    }
}
