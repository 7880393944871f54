package dev.howdah.reach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tasks that are statements in other databases: H2 and SQLite, with the drivers as they are published. */
@PostgresTest
class JdbcTaskTest {
    static final boolean ROOT = "root".equals(System.getProperty("user.name"));
    static final String USER = ROOT ? "\"user\": \"nobody\", \"group\": \"nogroup\"" : "\"user\": \"same\"";

    private final TestDatabase database;
    private ReachingTasks tasks;

    @TempDir
    Path directory;

    JdbcTaskTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeEach
    void serve() throws IOException, URISyntaxException {
        Path drivers = Files.createDirectory(directory.resolve("drivers"));
        copyDriver(org.h2.Driver.class, drivers.resolve("h2.jar"));
        Path sqlite = Files.createDirectory(drivers.resolve("sqlite"));
        copyDriver(org.sqlite.JDBC.class, sqlite.resolve("sqlite-jdbc.jar"));
        copyDriver(org.slf4j.Logger.class, sqlite.resolve("slf4j-api.jar"));
        Path data = Files.createDirectory(directory.resolve("data"));
        open(directory, "rwxr-xr-x");
        open(drivers, "rwxr-xr-x");
        open(sqlite, "rwxr-xr-x");
        open(data, "rwxrwxrwx");
        Path secret = directory.resolve("login.secret");
        Files.writeString(secret, "geheim-4711");
        open(secret, "rw-------");
        tasks = new ReachingTasks(database, settings("""
                {"databases": {
                   "h2": {"url": "jdbc:h2:%1$s/h2", %2$s},
                   "lite": {"url": "jdbc:sqlite:%1$s/lite.db", %2$s},
                   "other": {"url": "jdbc:other:thing", %2$s}},
                 "credentials": {"h2": {"kind": "login", "user": "sa", "file": "login.secret", "for": "jdbc:h2"}}}
                """.formatted(data, USER)));
    }

    static void copyDriver(Class<?> type, Path to) throws IOException, URISyntaxException {
        Files.copy(
                Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()), to);
        open(to, "rw-r--r--");
    }

    private static void open(Path path, String mode) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    }

    private ReachSettings settings(String json) throws IOException {
        Path file = directory.resolve("reach.json");
        Files.writeString(file, json);
        return ReachSettings.of(List.of("jdbc:h2=postgres", "jdbc:lite", "jdbc:other", "jdbc:none"), file, Map.of());
    }

    @AfterEach
    void close() {
        tasks.close();
    }

    @Test
    void rows_ofH2_areRenderedAsOfPostgres() {
        String sql = """
                CREATE TABLE item (id int PRIMARY KEY, name varchar(20), paid boolean, at timestamp, bytes varbinary(4));
                -- a comment; with a semicolon
                INSERT INTO item VALUES (1, 'Счёт; 17', true, '2026-11-26 10:00:00', X'00ff'), (2, NULL, false, NULL, NULL);
                UPDATE item SET name = name || '!' WHERE id = 1;
                SELECT * FROM item ORDER BY id;
                SELECT count(*) AS n FROM item
                """;
        assertThat(tasks.output("jdbc:h2", sql)).isEqualTo("""
                CREATE
                INSERT 0 2
                UPDATE 1
                ID	NAME	PAID	AT	BYTES
                1	Счёт; 17!	t	2026-11-26 10:00:00	\\x00ff
                2	\\N	f	\\N	\\N
                2""");
    }

    @Test
    @Tag("long")
    void rows_withColumnsOfTheRow_haveItsQuotesAndDelimiter() {
        long id = tasks.add(
                "jdbc:lite",
                "SELECT 1 AS id, 'a\"b' AS name",
                "header, string, delimiter, quote, escape",
                "false, true, ';', '\"', '\"'");
        tasks.awaitState(id, "DONE");
        assertThat(tasks.column("output", id)).isEqualTo("1;\"a\"\"b\"");
    }

    @Test
    void statements_oneOfWhichFails_changeNothing() {
        tasks.output("jdbc:lite", "CREATE TABLE t (a int)");
        long id = tasks.add("jdbc:lite", "INSERT INTO t VALUES (1); SELECT * FROM nothing_there");
        tasks.awaitState(id, "FAIL");
        assertThat(tasks.column("error", id)).contains("no such table: nothing_there", "DETAIL:  ");
        assertThat(tasks.column("output", id)).isEqualTo("INSERT 0 1");
        assertThat(tasks.output("jdbc:lite", "SELECT count(*) FROM t")).isEqualTo("0");
        tasks.error("jdbc:lite?autocommit=true", "INSERT INTO t VALUES (1); SELECT * FROM nothing_there");
        assertThat(tasks.output("jdbc:lite", "SELECT count(*) FROM t")).isEqualTo("1");
    }

    @Test
    void statement_withSemicolonsInside_isTakenWholeBetweenSlashes() {
        String sql = """
                CREATE TABLE t (a int)
                /
                CREATE TRIGGER r AFTER INSERT ON t BEGIN UPDATE t SET a = a + 1; UPDATE t SET a = a * 10; END
                /
                INSERT INTO t VALUES (1)
                /
                SELECT a FROM t
                """;
        assertThat(tasks.output("jdbc:lite", sql)).isEqualTo("CREATE\nCREATE\nINSERT 0 1\n20");
    }

    @Test
    void credential_ofAnotherPassword_isRefusedAndNotShown() {
        // The first login makes the user.
        tasks.output("jdbc:h2?as=h2", "ALTER USER sa SET PASSWORD 'another'");
        String error = tasks.error("jdbc:h2?as=h2", "SELECT 1");
        assertThat(error).contains("28000").doesNotContain("geheim");
    }

    @Test
    void statement_thatReadsFiles_doesNotReadThoseOfTheProgram() {
        assumeThat(ROOT).as("the program's files differ by user").isTrue();
        String error = tasks.error("jdbc:h2", "SELECT FILE_READ('" + directory.resolve("login.secret") + "', NULL)");
        assertThat(error).contains("login.secret").doesNotContain("geheim");
        String environment = tasks.error(
                "jdbc:h2", "SELECT FILE_READ('/proc/" + ProcessHandle.current().pid() + "/environ')");
        assertThat(environment).doesNotContain("PATH=");
    }

    @Test
    void url_inARow_isRefusedUnread() {
        String remote = "jdbc:h2:mem:x;INIT=RUNSCRIPT FROM 'http://127.0.0.1/x.sql'";
        assertThat(tasks.error(remote, "SELECT 1"))
                .contains("remote cannot be understood as jdbc")
                .doesNotContain("RUNSCRIPT");
        assertThat(tasks.error("jdbc:mariadb://h/d?user=a&password=hush", "SELECT 1"))
                .contains("\"databases\"")
                .doesNotContain("hush");
        assertThat(tasks.error("jdbc:h2?INIT=x", "SELECT 1")).contains("there is no option INIT");
    }

    @Test
    void database_thatIsNotThere_isNamedWithWhatToAdd() {
        assertThat(tasks.error("jdbc:none", "SELECT 1")).contains("there is no database none", "\"databases\"");
        assertThat(tasks.error("jdbc:other", "SELECT 1")).contains("there is no driver for jdbc:other", "\"drivers\"");
        assertThat(tasks.error("jdbc:secret", "SELECT 1")).contains("--allow 'jdbc:secret=postgres'");
    }

    @Test
    @Tag("long")
    void answer_withoutEnd_isBounded() {
        assertThat(tasks.error(
                        "jdbc:lite", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"))
                .contains("answered more than 1024 KiB");
        assertThat(tasks.output("jdbc:lite", "SELECT 1")).isEqualTo("1");
    }

    @Test
    @Tag("long")
    void memory_ofADriver_isBoundedApartFromTheProgram() {
        assertThat(tasks.error("jdbc:lite", "SELECT zeroblob(300000000)"))
                .contains("the driver needs more memory than its process has");
        assertThat(tasks.output("jdbc:lite", "SELECT 1")).isEqualTo("1");
    }

    @Test
    void statement_thatTakesTooLong_isEndedAndTheNextRuns() {
        String endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
        long id = tasks.add("jdbc:lite", endless, "timeout", "'2 seconds'");
        tasks.awaitState(id, "FAIL");
        assertThat(tasks.column("error", id)).contains("jdbc:lite was not done within 2 s");
        assertThat(tasks.output("jdbc:lite", "SELECT 1")).isEqualTo("1");
    }

    @Test
    void row_thatIsStopped_endsItsStatement() {
        String endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
        long id = tasks.add("jdbc:lite", endless, "timeout", "'5 minutes'");
        tasks.awaitState(id, "WORK");
        await().atMost(Patience.LIMIT).until(this::hasDriverProcess);
        tasks.execute("UPDATE task SET state = 'STOP' WHERE id = " + id);
        await().atMost(Patience.LIMIT).until(() -> tasks.column("stop", id), stop -> !stop.equals("null"));
        assertThat(tasks.column("state", id)).isEqualTo("STOP");
        await().atMost(Patience.LIMIT).until(() -> !hasDriverProcess());
    }

    private boolean hasDriverProcess() {
        return driverProcesses().findAny().isPresent();
    }

    /** Those that have a file of this test open. */
    private Stream<ProcessHandle> driverProcesses() {
        return ProcessHandle.current().children().filter(each -> {
            try (Stream<Path> files = Files.list(Path.of("/proc", Long.toString(each.pid()), "fd"))) {
                return files.anyMatch(file -> leadsHere(file));
            } catch (IOException | UncheckedIOException e) {
                // It has ended.
                return false;
            }
        });
    }

    @Test
    void password_isSeenByNoUserOfTheMachine() throws IOException {
        tasks.output("jdbc:h2?as=h2", "SELECT 1");
        List<ProcessHandle> processes = driverProcesses().toList();
        assertThat(processes).isNotEmpty();
        for (ProcessHandle each : processes)
            for (String what : List.of("cmdline", "environ"))
                assertThat(Files.readString(
                                Path.of("/proc", Long.toString(each.pid()), what), StandardCharsets.ISO_8859_1))
                        .as(what)
                        .isNotEmpty()
                        .doesNotContain("geheim", "CREDENTIALS", "HOWDAH_");
    }

    private boolean leadsHere(Path link) {
        try {
            return Files.readSymbolicLink(link).startsWith(directory);
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void process_ofADriver_endsWithTheProgram() {
        tasks.output("jdbc:h2", "SELECT 1");
        assertThat(hasDriverProcess()).isTrue();
        tasks.close();
        await().atMost(Patience.LIMIT).until(() -> !hasDriverProcess());
    }

    @Test
    void settings_withAPasswordOrWithoutAUser_areRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> settings("{\"databases\": {\"a\": {\"url\": \"jdbc:mariadb://h/d?user=a&password=hush\", "
                                + USER + "}}}"))
                .withMessageContaining("belongs under \"credentials\"")
                .withMessageNotContaining("hush");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> settings("{\"databases\": {\"a\": {\"url\": \"jdbc:h2:mem:x\"}}}"))
                .withMessageContaining("\"user\" has to be");
    }

    @Test
    void drivers_thatOthersCanChange_areNotUsed() throws IOException {
        open(directory.resolve("drivers"), "rwxrwxrwx");
        assertThat(tasks.error("jdbc:h2", "SELECT 1"))
                .contains("the drivers cannot be used")
                .doesNotContain("chmod");
    }

    @Test
    void probe_connectsWithoutAStatement() {
        ReachSettings settings =
                ReachSettings.of(List.of("jdbc:lite", "jdbc:other"), directory.resolve("reach.json"), Map.of());
        assertThat(ReachingTasks.steps(settings, "jdbc:lite"))
                .contains("OK database: jdbc:sqlite:", "OK login: without a login");
        assertThat(ReachingTasks.steps(settings, "jdbc:other"))
                .contains("OK database: jdbc:other:thing", "FAILED login: there is no driver for jdbc:other");
        assertThat(ReachingTasks.steps(settings, "jdbc:lite?as=h2"))
                .contains("FAILED credential: there is no credential \"h2\" for role \"postgres\" at jdbc:lite");
    }
}
