package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.Database;
import dev.howdah.embedded.EmbeddedPostgres;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the server asks for passwords: the logins of owners, and what remote tasks have to bring. */
@Tag("long")
class OwnerLoginTest {
    private final Path directory;
    private final EmbeddedPostgres postgres;
    private final Scheduled tasks;

    OwnerLoginTest(@TempDir Path directory) {
        Path programs = Path.of(
                System.getProperty("java.io.tmpdir"), "howdah-test-postgres-" + System.getProperty("user.name"));
        this.directory = directory;
        this.postgres = EmbeddedPostgres.at(directory)
                .binaries(programs)
                .durable(false)
                .passwordRequired(true)
                .setting("log_statement", "all")
                .start();
        this.tasks = Scheduled.at(postgres.uri());
    }

    @BeforeEach
    void makeRoles() {
        tasks.execute("CREATE ROLE app LOGIN PASSWORD 'of app'; CREATE ROLE lean LOGIN CREATEROLE PASSWORD 'of lean';"
                + " CREATE SCHEMA AUTHORIZATION lean");
    }

    @AfterEach
    void close() {
        tasks.close();
        postgres.close();
    }

    private String run(String input, String columns, String values) {
        long id = tasks.add(input, columns, values);
        tasks.awaitEnd(id);
        return tasks.value("SELECT COALESCE(error, output) FROM task WHERE id = " + id);
    }

    @Test
    void login_whosePasswordATaskHasChanged_isMended() throws Exception {
        tasks.serve();
        assertThat(run("SELECT current_user", "owner", "'app'")).isEqualTo("app");
        assertThat(run(
                        "SET ROLE NONE; DO $$ BEGIN EXECUTE format('ALTER ROLE %I PASSWORD ''changed''', current_user); END $$",
                        "owner", "'app'"))
                .isEqualTo("SET\nDO");
        tasks.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename LIKE 'howdah\\_%'");
        assertThat(run("SELECT current_user", "owner", "'app'")).isEqualTo("app");
        assertThat(Files.readString(directory.resolve("postgres.log")))
                .contains("SCRAM-SHA-256$")
                .doesNotContainPattern("howdah_[0-9_]+\\W+LOGIN PASSWORD '(?!SCRAM-SHA-256)");
    }

    @Test
    void login_hasAPasswordForTwoMinutesOnly_whateverATaskDoes() {
        tasks.serve();
        assertThat(run("SELECT current_user", "owner", "'app'")).isEqualTo("app");
        String valid = "SELECT rolvaliduntil > now() AND rolvaliduntil <= now() + interval '2 min' FROM pg_roles"
                + " WHERE rolname LIKE 'howdah\\_%'";
        assertThat(tasks.value(valid)).isEqualTo("t");
        for (String longer : new String[] {"VALID UNTIL 'infinity'", "PASSWORD 'x' VALID UNTIL '2100-01-01'"})
            assertThat(run("SET ROLE NONE; ALTER ROLE CURRENT_USER " + longer, "owner", "'app'"))
                    .contains("ERROR:  ");
        run("SET ROLE NONE; ALTER ROLE CURRENT_USER PASSWORD 'backdoor'", "owner", "'app'");
        assertThat(tasks.value(valid)).isEqualTo("t");
        // When it is over, the next session gets another one.
        tasks.execute(
                "DO $$ BEGIN EXECUTE (SELECT format('ALTER ROLE %I VALID UNTIL %L', rolname, 'yesterday') FROM pg_roles"
                        + " WHERE rolname LIKE 'howdah\\_%'); END $$;"
                        + " SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename LIKE 'howdah\\_%'");
        assertThat(run("SELECT current_user", "owner", "'app'")).isEqualTo("app");
        assertThat(tasks.value(valid)).isEqualTo("t");
    }

    @Test
    void remote_ofAnotherOwner_needsAPasswordThatTheServerAsksFor() {
        tasks.serve();
        String where = "host=127.0.0.1 port=" + postgres.port() + " dbname=postgres user=app";
        assertThat(remote(where)).startsWith("ERROR:  password is required\nDETAIL:  ");
        assertThat(remote(where + " password=''of app''")).isEqualTo("app");
        assertThat(remote(where + " password=''not this''"))
                .startsWith("ERROR:  could not connect\nDETAIL:  ")
                .doesNotContain("not this");
        for (String file : new String[] {"passfile", "sslkey", "sslcert", "sslrootcert", "service"})
            assertThat(remote(where + " password=''of app'' " + file + "=/etc/hostname"))
                    .as(file)
                    .startsWith("ERROR:  could not connect\nDETAIL:  connection option \"" + file + "\"");
    }

    /** The library is not there, so that a log-in with these options fails; they take a superuser, which trust lets in. */
    @Test
    void remote_ofAnotherOwner_withOptions_sendsThemOnlyWhereThePasswordIsAskedFor(@TempDir Path other) {
        tasks.serve();
        Path programs = Path.of(
                System.getProperty("java.io.tmpdir"), "howdah-test-postgres-" + System.getProperty("user.name"));
        try (EmbeddedPostgres trusting =
                EmbeddedPostgres.at(other).binaries(programs).durable(false).start()) {
            assertThat(remote("host=127.0.0.1 port=" + trusting.port() + " dbname=postgres user=postgres password=x"
                            + " options=''-c session_preload_libraries=no_such_library''"))
                    .startsWith("ERROR:  password is required\nDETAIL:  The server let the task in");
        }
        String where = "host=127.0.0.1 port=" + postgres.port() + " dbname=postgres user=app password=''of app''";
        assertThat(run("SHOW work_mem", "owner, remote", "'app', '" + where + " options=''-c work_mem=17MB'''"))
                .isEqualTo("17MB");
    }

    private String remote(String words) {
        return run("SELECT current_user", "owner, remote", "'app', '" + words + "'");
    }

    @Test
    void scheduler_withoutTheRightToPassARoleOn_failsItsTasksWithTheGrant() throws Exception {
        tasks.execute("GRANT CREATE ON SCHEMA public TO lean");
        Database lean = Database.of("postgresql://lean@127.0.0.1:" + postgres.port() + "/postgres?password=of%20lean");
        tasks.serve(lean, 10);
        tasks.execute("GRANT INSERT ON task TO app; GRANT USAGE ON SEQUENCE task_id_seq TO app");
        long own = tasks.add("SELECT current_user", "owner", "'lean'");
        assertThat(run("SELECT 1", "owner", "'app'"))
                .isEqualTo(
                        "ERROR:  the task cannot run with the rights of role \"app\"\nDETAIL:  The scheduler's role \"lean\""
                                + " may not pass it on: GRANT \"app\" TO \"lean\" WITH ADMIN OPTION");
        assertThat(run("SELECT 1", "owner", "'postgres'")).contains("It is a superuser");
        tasks.awaitState(own, "DONE");
        tasks.execute("GRANT app TO lean WITH ADMIN OPTION");
        Scheduled.awaiting("the grant counts")
                .until(() -> run("SELECT current_user", "owner", "'app'").equals("app"));
        long repeated = tasks.add("SELECT current_user", "owner, repeat", "'app', '1 h'");
        tasks.awaitState(repeated, "DONE");
        assertThat(tasks.value("SELECT owner FROM task WHERE parent = " + repeated))
                .isEqualTo("app");
    }
}
