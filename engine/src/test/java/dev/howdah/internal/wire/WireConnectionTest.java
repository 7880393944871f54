package dev.howdah.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.howdah.Database;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@PostgresTest
class WireConnectionTest {
    private static final String SAY_AND_SLEEP = "DO $$BEGIN RAISE NOTICE 'running'; PERFORM pg_sleep(60); END$$";

    private final TestDatabase database;
    private WireConnection connection;

    WireConnectionTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeEach
    void open() throws WireException {
        connection = open(Map.of());
    }

    @AfterEach
    void close() {
        connection.close();
    }

    private WireConnection open(Map<String, String> startup) throws WireException {
        return WireConnection.open(Database.of(database.uri(), Map.of()), startup, Duration.ofSeconds(10));
    }

    private List<String> query(String sql) throws WireException {
        Recorder recorder = new Recorder(connection::charset);
        connection.query(sql, recorder);
        return recorder.events;
    }

    private List<String> execute(String sql, @Nullable String... values) throws WireException {
        Recorder recorder = new Recorder(connection::charset);
        connection.execute(sql, Arrays.asList(values), recorder);
        return recorder.events;
    }

    @Test
    void query_ofSeveralStatements_tellsTagsAndRowsInOrder() throws WireException {
        assertThat(
                        query(
                                "CREATE TABLE t (a int, b text); INSERT INTO t VALUES (1, NULL), (2, ''); SELECT * FROM t; DROP TABLE t"))
                .containsExactly(
                        "CREATE TABLE",
                        "INSERT 0 2",
                        "columns a:23,b:25",
                        "row 1|NULL",
                        "row 2|",
                        "SELECT 2",
                        "DROP TABLE");
    }

    @Test
    void query_thatFailsAfterRows_keepsTheRows() throws WireException {
        assertThat(query("SELECT 0 AS z; SELECT 1/(3 - i) AS a FROM generate_series(1, 3) i; SELECT 3"))
                .containsExactly(
                        "columns z:23",
                        "row 0",
                        "SELECT 1",
                        "columns a:23",
                        "row 0",
                        "row 1",
                        "ERROR: division by zero (22012)");
        assertThat(connection.transactionStatus()).isEqualTo('I');
    }

    @Test
    void query_withoutAnyStatement_isEmpty() throws WireException {
        assertThat(query("")).containsExactly("empty");
        assertThat(query(" -- nothing")).containsExactly("empty");
        assertThat(execute("")).containsExactly("empty");
    }

    @Test
    void query_ofSeveralStatements_isOneTransaction() throws WireException {
        query("CREATE TABLE t (a int); SELECT 1/0");
        assertThat(database.query("SELECT to_regclass('t')::text")).containsExactly(Arrays.asList((String) null));
        assertThat(query("SELECT 1; VACUUM"))
                .last()
                .asString()
                .startsWith("ERROR: VACUUM cannot run inside a transaction block");
    }

    @Test
    void query_ofStatementsThatManageTransactions_isLeftToTheServer() throws WireException {
        assertThat(query("VACUUM")).containsExactly("VACUUM");
        query("CREATE TABLE t (a int)");
        assertThat(query("DO $$BEGIN FOR i IN 1..3 LOOP INSERT INTO t VALUES (i); COMMIT; END LOOP; END$$"))
                .containsExactly("DO");
        assertThat(database.query("SELECT count(*)::text FROM t")).containsExactly(List.of("3"));
    }

    @Test
    void transactionStatus_throughATransaction_followsTheServer() throws WireException {
        assertThat(connection.transactionStatus()).isEqualTo('I');
        query("BEGIN");
        assertThat(connection.transactionStatus()).isEqualTo('T');
        query("SELECT 1/0");
        assertThat(connection.transactionStatus()).isEqualTo('E');
        assertThat(query("ROLLBACK")).containsExactly("ROLLBACK");
        assertThat(connection.transactionStatus()).isEqualTo('I');
    }

    @Test
    void error_ofAStatement_hasAllThatTheServerSays() throws WireException {
        query("CREATE TABLE parent (id int PRIMARY KEY); CREATE TABLE child (p int CONSTRAINT fk REFERENCES parent)");
        ServerMessage violation = error("INSERT INTO child VALUES (7)");
        assertThat(violation.severity()).isEqualTo("ERROR");
        assertThat(violation.code()).isEqualTo("23503");
        assertThat(violation.detail()).isEqualTo("Key (p)=(7) is not present in table \"parent\".");
        assertThat(violation.schema()).isEqualTo("public");
        assertThat(violation.table()).isEqualTo("child");
        assertThat(violation.constraint()).isEqualTo("fk");
        assertThat(violation.file()).isEqualTo("ri_triggers.c");
        assertThat(violation.line()).isPositive();
        assertThat(violation.routine()).isEqualTo("ri_ReportViolation");

        ServerMessage typo = error("SELECT aa FROM (SELECT 1 AS ab) t");
        assertThat(typo.code()).isEqualTo("42703");
        assertThat(typo.position()).isEqualTo(8);
        assertThat(typo.hint()).contains("t.ab");

        ServerMessage inside = error("DO $$BEGIN EXECUTE 'SELECT nothing'; END$$");
        assertThat(inside.position()).isZero();
        assertThat(inside.internalQuery()).isEqualTo("SELECT nothing");
        assertThat(inside.internalPosition()).isEqualTo(8);
        assertThat(inside.where()).contains("inline_code_block line 1 at EXECUTE");
        assertThat(inside.isFatal()).isFalse();
    }

    private ServerMessage error(String sql) throws WireException {
        Recorder recorder = new Recorder(connection::charset);
        connection.query(sql, recorder);
        assertThat(recorder.errors).hasSize(1);
        return recorder.errors.get(0);
    }

    @Test
    void notice_beforeTheTag_isToldInItsPlace() throws WireException {
        assertThat(query("DO $$BEGIN RAISE WARNING 'hm'; END$$; SELECT 1"))
                .containsExactly("WARNING: hm (01000)", "DO", "columns ?column?:23", "row 1", "SELECT 1");
    }

    @Test
    void execute_withParameters_givesTextBack() throws WireException {
        assertThat(execute("SELECT $1::int + 1 AS n, $2::text AS t, $3::bytea AS b, true AS f", "41", null, "\\x00ff"))
                .containsExactly("columns n:23,t:25,b:17,f:16", "row 42|NULL|\\x00ff|t", "SELECT 1");
        assertThat(execute("CREATE TABLE t (a int)")).containsExactly("CREATE TABLE");
        assertThat(execute("INSERT INTO t VALUES ($1::int)", "x"))
                .singleElement()
                .asString()
                .contains("(22P02)");
        assertThat(execute("SELECT 1; SELECT 2")).singleElement().asString().contains("(42601)");
        assertThat(execute("SELECT $1::int", "1", "2"))
                .singleElement()
                .asString()
                .contains("(08P01)");
        assertThat(query("SELECT 1 AS a")).containsExactly("columns a:23", "row 1", "SELECT 1");
    }

    @Test
    void copy_toStdout_givesItsLines() throws WireException {
        assertThat(query("COPY (SELECT i, 'ä' FROM generate_series(1, 3) i) TO STDOUT; SELECT 1 AS a"))
                .containsExactly("data 1\tä", "data 2\tä", "data 3\tä", "COPY 3", "columns a:23", "row 1", "SELECT 1");
        assertThat(execute("COPY (SELECT 1) TO STDOUT")).containsExactly("data 1", "COPY 1");
    }

    @Test
    void copy_fromStdin_isRefusedAndTheSessionGoesOn() throws WireException {
        query("CREATE TABLE t (a int)");
        String refusal = "ERROR: COPY from stdin failed: COPY FROM STDIN is not supported (57014)";
        assertThat(query("COPY t FROM STDIN")).containsExactly(refusal);
        assertThat(execute("COPY t FROM STDIN")).containsExactly(refusal);
        assertThat(query("SELECT 1; COPY t FROM STDIN; SELECT 2")).endsWith("SELECT 1", refusal);
        assertThat(execute("SELECT 1 AS a")).containsExactly("columns a:23", "row 1", "SELECT 1");
    }

    @Test
    void rows_many_passThrough() throws WireException {
        AtomicLong rows = new AtomicLong();
        AtomicLong bytes = new AtomicLong();
        connection.query("SELECT i, 'row ' || i FROM generate_series(1, 100000) i", new WireListener() {
            @Override
            public void row(byte[] buffer, int[] offsets, int[] lengths) {
                rows.incrementAndGet();
                bytes.addAndGet(lengths[0] + lengths[1]);
            }
        });
        assertThat(rows).hasValue(100_000);
        assertThat(bytes).hasValue(2 * 488_895L + 400_000);
    }

    @Test
    @Tag("long")
    void value_ofAHundredMegabytes_arrivesWhole() throws WireException {
        int length = 100_000_000;
        AtomicLong seen = new AtomicLong();
        connection.query(
                "SELECT 'a' || repeat('x', " + (length - 2) + ") || 'z' UNION ALL SELECT 'small'", new WireListener() {
                    @Override
                    public void row(byte[] buffer, int[] offsets, int[] lengths) {
                        boolean whole = lengths[0] == length
                                && buffer[offsets[0]] == 'a'
                                && buffer[offsets[0] + length - 1] == 'z';
                        seen.addAndGet(whole ? 100 : lengths[0]);
                    }
                });
        assertThat(seen).hasValue(105);
        assertThat(query("SELECT length('" + "y".repeat(10_000_000) + "') AS n"))
                .contains("row 10000000");
    }

    @Test
    void cancel_duringAStatement_endsItButNotTheSession() throws WireException {
        Recorder recorder = new Recorder(connection::charset) {
            @Override
            public void notice(ServerMessage message) {
                try {
                    connection.cancel();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        };
        connection.query(SAY_AND_SLEEP, recorder);
        assertThat(recorder.events).containsExactly("ERROR: canceling statement due to user request (57014)");
        assertThat(query("SELECT 1 AS a")).contains("row 1");
    }

    @Test
    void abort_byAnotherThread_endsTheCallThatWaits() {
        Recorder recorder = new Recorder(connection::charset) {
            @Override
            public void notice(ServerMessage message) {
                CompletableFuture.runAsync(connection::abort);
            }
        };
        assertThatThrownBy(() -> connection.query(SAY_AND_SLEEP, recorder))
                .isInstanceOfSatisfying(
                        WireException.class, e -> assertThat(e.sqlState()).isEqualTo("08003"))
                .hasMessageEndingWith("was closed");
        assertThat(connection.isOpen()).isFalse();
        assertThatThrownBy(() -> query("SELECT 1")).isInstanceOf(WireException.class);
        connection.abort();
        connection.close();
    }

    @Test
    void backend_terminatedDuringAStatement_isALossWithItsReason() {
        Recorder recorder = new Recorder(connection::charset) {
            @Override
            public void notice(ServerMessage message) {
                terminate();
            }
        };
        WireException loss = catchThrowableOfType(WireException.class, () -> connection.query(SAY_AND_SLEEP, recorder));
        assertThat(loss.sqlState()).isEqualTo("57P01");
        assertThat(loss.serverMessage()).isNotNull();
        assertThat(loss)
                .hasMessageContaining("database \"" + database.name() + "\" at 127.0.0.1:")
                .hasMessageEndingWith("FATAL: terminating connection due to administrator command (57P01)");
        assertThat(recorder.errors).isEmpty();
        assertThat(connection.isOpen()).isFalse();
    }

    @Test
    void backend_terminatedWhileIdle_isALossWithItsReason() {
        terminate();
        WireException loss = catchThrowableOfType(WireException.class, () -> query("SELECT 1"));
        assertThat(loss.sqlState()).isEqualTo("57P01");
    }

    /** Returns when the backend is gone. */
    private void terminate() {
        database.query("SELECT pg_terminate_backend(" + connection.backendPid() + ")");
        Awaitility.await()
                .atMost(Patience.LIMIT)
                .until(() -> "0"
                        .equals(database.value(
                                "SELECT count(*) FROM pg_stat_activity WHERE pid = " + connection.backendPid())));
    }

    @Test
    void listener_thatThrows_endsTheConnection() {
        IllegalStateException mine = new IllegalStateException("mine");
        assertThatThrownBy(() -> connection.query("SELECT 1", new WireListener() {
                    @Override
                    public void row(byte[] buffer, int[] offsets, int[] lengths) {
                        throw mine;
                    }
                }))
                .isSameAs(mine);
        assertThat(connection.isOpen()).isFalse();
    }

    @Test
    void clientEncoding_changedByTheText_isFollowed() throws WireException {
        query("SET client_encoding = 'LATIN1'");
        assertThat(connection.charset()).isEqualTo(StandardCharsets.ISO_8859_1);
        assertThat(query("SELECT 'é' AS \"ü\", octet_length('é') AS n"))
                .containsExactly("columns ü:25,n:23", "row é|2", "SELECT 1");
        assertThat(query("SELECT \"ö\"").get(0)).contains("\"ö\"");
        assertThatThrownBy(() -> query("SELECT '€'"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ISO-8859-1");
        query("SET client_encoding = 'EUC_JP'");
        assertThat(query("SELECT '日本' AS a")).contains("row 日本");
        query("RESET client_encoding");
        assertThat(query("SELECT '€' AS a")).contains("row €");
    }

    @Test
    void settings_changedByTheText_areKeptCurrent() throws WireException {
        query("SET DateStyle = 'German'; SET TimeZone = 'Asia/Tokyo'");
        assertThat(connection.parameter("DateStyle")).isEqualTo("German, DMY");
        assertThat(connection.parameter("TimeZone")).isEqualTo("Asia/Tokyo");
        assertThat(query("SELECT '2026-01-02'::date AS d")).contains("row 02.01.2026");
        assertThat(connection.parameter("server_version")).isNotNull();
        assertThat(connection.parameter("nonsense")).isNull();
    }

    @Test
    void settings_ofTheDatabase_areNotOverridden() throws WireException {
        database.execute("ALTER DATABASE " + database.name() + " SET TimeZone = 'America/Caracas'");
        database.execute("ALTER DATABASE " + database.name() + " SET DateStyle = 'SQL, DMY'");
        try (WireConnection fresh = open(Map.of())) {
            assertThat(fresh.parameter("TimeZone")).isEqualTo("America/Caracas");
            assertThat(fresh.parameter("DateStyle")).isEqualTo("SQL, DMY");
            assertThat(fresh.parameter("client_encoding")).isEqualTo("UTF8");
        }
    }

    @Test
    void startup_optionsOfBothSides_oursWin() throws WireException {
        Database address =
                Database.of(database.uri(), Map.of("PGOPTIONS", "-c work_mem=2MB -c geqo=off", "PGAPPNAME", "theirs"));
        Map<String, String> ours = Map.of("options", "-c work_mem=3MB", "application_name", "ours");
        connection.close();
        connection = WireConnection.open(address, ours, Duration.ZERO);
        assertThat(
                        query(
                                "SELECT current_setting('work_mem'), current_setting('geqo'), current_setting('application_name')"))
                .contains("row 3MB|off|ours");
    }

    @Test
    void text_withNul_isRefusedAndTheSessionGoesOn() throws WireException {
        assertThatThrownBy(() -> query("SELECT '\0'")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> connection.query(new byte[] {0}, new WireListener() {}))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> execute("SELECT $1", "\0")).isInstanceOf(IllegalArgumentException.class);
        assertThat(query("SELECT 1 AS a")).contains("row 1");
    }

    @Test
    void notifications_comingIn_areIgnored() throws WireException {
        query("LISTEN c");
        database.execute("NOTIFY c, 'hello'");
        assertThat(query("SELECT 1 AS a")).containsExactly("columns a:23", "row 1", "SELECT 1");
        assertThat(query("NOTIFY c")).containsExactly("NOTIFY");
    }
}
