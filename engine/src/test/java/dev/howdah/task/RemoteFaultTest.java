package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.howdah.embedded.EmbeddedPostgres;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TcpProxy;
import dev.howdah.fixtures.TestCertificate;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nothing is lost, nothing runs twice, for remote tasks whose server falls silent. */
@PostgresTest
@Tag("long")
class RemoteFaultTest {
    private static final Duration LEASE = Duration.ofSeconds(2);

    /** What the manual promises: two and a half times the lease, for a session whose network is cut without a word. */
    private static final long BOUND_MILLIS = LEASE.toMillis() * 5 / 2;

    /** With time for a loaded machine; without the program's own questions TCP takes a quarter of an hour. */
    private static final long FOUND_MILLIS = BOUND_MILLIS + 60_000;

    private static final String PASSWORD = "gehe1m-Wort";

    private final TestDatabase other = TestDatabase.create();
    private final Scheduled tasks;
    private final Scheduled there = Scheduled.at(other.uri()).withWork();
    private final TcpProxy network = TcpProxy.to("127.0.0.1", other.server().port());

    RemoteFaultTest(TestDatabase database) {
        this.tasks = Scheduled.at(database.uri());
    }

    @BeforeEach
    void serve() {
        tasks.begin(tasks.database(), 40, LEASE);
        tasks.awaitTold("active", 1);
    }

    @AfterEach
    void close() {
        tasks.close();
        network.close();
        other.close();
    }

    private String through(int port) {
        return "host=127.0.0.1 port=" + port + " user=postgres dbname=" + other.name() + " connect_timeout=1";
    }

    private long addAt(String remote, String input) {
        return tasks.add(input, "remote, \"group\"", "$remote$" + remote + "$remote$, 'far'");
    }

    private long addThrough(String input) {
        return addAt(through(network.port()), input);
    }

    private void awaitAtWork() {
        Scheduled.awaiting("at work").until(() -> there.number(Scheduled.WORKING) == 1);
    }

    private String failureOf(long id) {
        tasks.awaitState(id, "FAIL");
        return tasks.column("error", id);
    }

    private void runs() {
        tasks.awaitState(tasks.add("SELECT 1"), "DONE");
    }

    @Test
    void server_thatTakesConnectionsAndSaysNothing_failsTheTaskInTimeAndOthersGoOn() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.getByName("127.0.0.1"))) {
            long id = addAt(through(silent.getLocalPort()), "SELECT 1");
            tasks.awaitState(id, "TAKE");
            runs();
            assertThat(failureOf(id)).startsWith("ERROR:  could not connect\n").contains("no answer within 1000 ms");
            assertThat(tasks.column("(start IS NULL AND pid IS NULL AND stop - plan < interval '5 s')", id))
                    .isEqualTo("true");
        }
    }

    @Test
    void server_slowToLetIn_isWaitedFor() {
        network.freeze();
        long id = addAt(through(network.port()).replace("connect_timeout=1", "connect_timeout=30"), "SELECT 7");
        tasks.awaitState(id, "TAKE");
        runs();
        network.thaw();
        tasks.awaitState(id, "DONE");
        assertThat(tasks.column("output", id)).isEqualTo("7");
    }

    /** Asked about several times meanwhile: nothing is cut off for taking long. */
    @Test
    void statement_longerThanTheBound_isNotCut() {
        assumeTrue(TestServer.shared().isAtLeast(14), "sessions are counted from PostgreSQL 14 on");
        long id = addThrough("SELECT work(" + BOUND_MILLIS * 1.2 / 1000 + ")");
        tasks.awaitState(id, "DONE");
        assertThat(there.value("SELECT count(*) FROM run")).isEqualTo("1");
        assertThat(there.number("SELECT sessions FROM pg_stat_database WHERE datname = current_database()"))
                .as("sessions there, with those of this test")
                .isGreaterThan(2);
    }

    /** It goes on there for longer than it takes to find out, so that it is ended before it runs again. */
    @Test
    void network_silentBothWaysInMidTask_isFoundInTimeAndTaskRunsAgainNeverTwiceAtOnce() {
        long id = addThrough("SELECT work(60)");
        awaitAtWork();
        String pid = tasks.column("pid", id);
        network.freeze();
        runs();
        // Asked in vain twice; the next one is to end it there.
        long millis = Scheduled.millisUntil("given up", () -> network.connections() == 4);
        tasks.execute("UPDATE task SET input = 'SELECT work(0)' WHERE id = " + id);
        System.out.println("silence of a server found after " + millis + " ms, lease " + LEASE);
        assertThat(millis).isLessThan(FOUND_MILLIS);
        network.thaw();
        tasks.awaitState(id, "DONE");
        assertThat(there.value("SELECT count(*) FROM run")).isEqualTo("1");
        assertThat(tasks.column("pid", id)).isNotEqualTo(pid);
    }

    @Test
    void connection_droppedSilentlyInMidTask_isFoundInTime() {
        long id = addThrough("SELECT work(1)");
        awaitAtWork();
        String pid = tasks.column("pid", id);
        network.drop();
        long millis = Scheduled.millisUntil(
                "given up", () -> there.number("SELECT count(*) FROM pg_stat_activity WHERE pid = " + pid) == 0);
        System.out.println("silent drop of a connection found after " + millis + " ms, lease " + LEASE);
        assertThat(millis).isLessThan(FOUND_MILLIS);
        tasks.awaitState(id, "DONE");
        assertThat(tasks.column("pid", id)).isNotEqualTo(pid);
        assertThat(there.list("SELECT task FROM run")).as("at least once").hasSize(2);
    }

    /** More than all buffers on the way hold: the write itself never ends. */
    @Test
    void server_thatStopsReadingInMidText_isFoundInTime() {
        network.dropBehind(100_000);
        tasks.execute("INSERT INTO task (remote, \"group\", input) VALUES ($remote$" + through(network.port())
                + "$remote$, 'far', 'SELECT work(0) -- ' || repeat('x', 40000000))");
        long id = tasks.number("SELECT max(id) FROM task");
        tasks.awaitState(id, "WORK");
        String pid = tasks.column("pid", id);
        runs();
        long millis = Scheduled.millisUntil(
                "given up", () -> there.number("SELECT count(*) FROM pg_stat_activity WHERE pid = " + pid) == 0);
        System.out.println("a server that stopped reading found after " + millis + " ms, lease " + LEASE);
        assertThat(millis).isLessThan(FOUND_MILLIS);
        tasks.awaitState(id, "DONE");
        assertThat(tasks.column("pid", id)).isNotEqualTo(pid);
        assertThat(there.value("SELECT count(*) FROM run"))
                .as("what was cut did not run")
                .isEqualTo("1");
    }

    @Test
    void certificate_andTls_areWantedAsRemoteSays(@TempDir Path directory) throws IOException {
        TestCertificate certificate = TestCertificate.of("localhost");
        Path known = Files.writeString(directory.resolve("known.crt"), certificate.certificate());
        Path unknown = Files.writeString(
                directory.resolve("unknown.crt"),
                TestCertificate.of("localhost").certificate());
        Path programs = Path.of(
                System.getProperty("java.io.tmpdir"), "howdah-test-postgres-" + System.getProperty("user.name"));
        try (EmbeddedPostgres server = EmbeddedPostgres.at(Files.createDirectory(directory.resolve("server")))
                .binaries(programs)
                .durable(false)
                .start()) {
            Scheduled secure = Scheduled.at(server.uri());
            String to = " port=" + server.port() + " user=postgres dbname=postgres password=" + PASSWORD;
            assertThat(failureOf(addAt("host=127.0.0.1 sslmode=require" + to, "SELECT 1")))
                    .contains("the server does not support TLS, but sslmode is require");
            certificate.install(server.directory().resolve("data"), "server");
            secure.execute("ALTER SYSTEM SET ssl = on");
            secure.execute("SELECT pg_reload_conf()");
            Scheduled.awaiting("TLS").until(() -> secure.value("SHOW ssl").equals("on"));

            String encrypted = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
            List<Long> good = List.of(
                    addAt("host=127.0.0.1 sslmode=require" + to, encrypted),
                    addAt("host=127.0.0.1 sslmode=verify-ca sslrootcert=" + known + to, encrypted),
                    addAt("host=localhost sslmode=verify-full sslrootcert=" + known + to, encrypted));
            for (long id : good) {
                tasks.awaitState(id, "DONE");
                assertThat(tasks.column("output", id)).isEqualTo("t");
            }
            assertThat(failureOf(addAt("host=127.0.0.1 sslmode=verify-full sslrootcert=" + known + to, encrypted)))
                    .contains("certificate", "127.0.0.1");
            assertThat(failureOf(addAt("host=localhost sslmode=verify-full sslrootcert=" + unknown + to, encrypted)))
                    .contains("the server's certificate cannot be trusted: ");
            assertThat(failureOf(addAt("host=127.0.0.1 sslmode=verify-ca sslrootcert=" + unknown + to, encrypted)))
                    .contains("the server's certificate cannot be trusted: ");
            assertThat(tasks.list("SELECT error FROM task WHERE error ~ '" + PASSWORD + "|Exception|null'"))
                    .isEmpty();
        }
    }

    /** With all that it and the driver log, of what goes well, what fails, and what is cut. */
    @Test
    void password_isNowhereButInRemote(@TempDir Path directory) throws IOException {
        String role = other.name() + "_far";
        there.execute("CREATE ROLE " + role + " LOGIN PASSWORD '" + PASSWORD + "'");
        there.execute("GRANT INSERT ON run TO " + role);
        Path all = Files.writeString(
                directory.resolve("logging.properties"),
                "handlers=java.util.logging.ConsoleHandler\n.level=ALL\njava.util.logging.ConsoleHandler.level=ALL\n");
        tasks.close();
        String words = "host=127.0.0.1 dbname=" + other.name() + " user=" + role + " password=" + PASSWORD + " port=";
        String uri = "postgresql://" + role + ":" + PASSWORD + "@127.0.0.1:"
                + other.server().port() + "/" + other.name();
        try (SchedulerProcess process =
                SchedulerProcess.logging(all, tasks.database().toString(), LEASE)) {
            List<Long> good =
                    List.of(addAt(uri, "SELECT 1"), addAt(words + other.server().port(), "SELECT 2"));
            List<Long> bad = List.of(
                    addAt(words + "1", "SELECT 1"),
                    addAt(uri + "x", "SELECT 1"),
                    addAt(uri + "?sslmode=verify-full", "SELECT 1"), // another test may have TLS on just now
                    addAt(words + other.server().port() + " nonsense", "SELECT 1"),
                    addAt(words + other.server().port() + " options='-c nonsense'", "SELECT 1"),
                    addAt("password='" + PASSWORD, "SELECT 1"),
                    addAt("postgresql://u:" + PASSWORD + "@127.0.0.1:99999999/x", "SELECT 1"),
                    addAt(uri, "SELECT 1 / 0"));
            for (long id : good) tasks.awaitState(id, "DONE");
            for (long id : bad) assertThat(failureOf(id)).doesNotContain(PASSWORD);
            long id = addAt(words + network.port(), "SELECT work(1.5)");
            awaitAtWork();
            assertThat(tasks.list("SELECT query FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND query ~ '"
                            + PASSWORD + "'"))
                    .isEmpty();
            network.drop();
            tasks.awaitState(id, "DONE");
            tasks.execute("UPDATE task SET remote = NULL");
            assertThat(tasks.list("SELECT id FROM task t WHERE t::text ~ '" + PASSWORD + "'"))
                    .isEmpty();
            process.stop();
            process.awaitGone();
            assertThat(process.log()).contains("is given up", "org.postgresql").doesNotContain(PASSWORD);
        } finally {
            there.execute("DROP OWNED BY " + role);
            there.execute("DROP ROLE " + role);
        }
    }
}
