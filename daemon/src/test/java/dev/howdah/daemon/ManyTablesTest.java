package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.Patience;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The pg_task.json of a host, from the server's settings, read again when they change. */
@Tag("long")
class ManyTablesTest {
    private static final String LIST = "[{\"data\":\"Weird Name\",\"schema\":\"Sch ema\",\"table\":\"Ta\\\"ble\"},"
            + "{\"data\":\"second\",\"user\":\"Weird Name\",\"run\":1}]";

    @TempDir
    Path home;

    private static Connection connect(String uri, String database) throws SQLException {
        String server = uri.replaceFirst(".*@([^/]*)/.*", "$1");
        return DriverManager.getConnection(
                "jdbc:postgresql://" + server + "/" + database.replace(" ", "%20") + "?user=postgres");
    }

    private static String value(String uri, String database, String sql) throws SQLException {
        try (Connection connection = connect(uri, database);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return String.valueOf(row.getString(1));
        }
    }

    private static void execute(String uri, String database, String sql) throws SQLException {
        try (Connection connection = connect(uri, database);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static void runs(String uri, String database, String table, String role) throws SQLException {
        execute(uri, database, "INSERT INTO " + table + " (input) VALUES ('SELECT current_user')");
        await().atMost(Patience.LIMIT)
                .untilAsserted(() -> assertThat(value(
                                uri,
                                database,
                                "SELECT state || ' ' || COALESCE(output, error, '') FROM " + table
                                        + " ORDER BY id DESC LIMIT 1"))
                        .isEqualTo("DONE " + role));
    }

    @Test
    void list_inTheServersSettings_isServedAndReadAgain() throws IOException, SQLException, InterruptedException {
        try (HowdahProcess up = HowdahProcess.start(
                home, Map.of(), "up", "--data", home.resolve("d").toString(), "--pg-port", "0", "--json")) {
            String uri = String.valueOf(up.ready().get("postgres"));
            execute(uri, "postgres", "ALTER SYSTEM SET pg_task.json = '" + LIST + "'");
            execute(uri, "postgres", "SELECT pg_reload_conf()"); // nobody tells the daemon
            up.says("tasks of Sch ema.Ta\"ble in Weird Name run");
            up.says("tasks of public.task in second run");
            up.says("public.task in postgres is not served here any more");
            runs(uri, "Weird Name", "\"Sch ema\".\"Ta\"\"ble\"", "Weird Name");
            runs(uri, "second", "public.task", "Weird Name");
            execute(uri, "second", "INSERT INTO public.task (input) VALUES ('SELECT 1/0')");
            up.says("has failed: SQLSTATE 22012");
            assertThat(value(
                            uri,
                            "postgres",
                            "SELECT string_agg(pg_get_userbyid(datdba), ',') FROM pg_database WHERE"
                                    + " datname IN ('Weird Name', 'second')"))
                    .isEqualTo("Weird Name,Weird Name");
            assertThat(value(
                            uri,
                            "postgres",
                            "SELECT rolcanlogin AND NOT rolsuper AND rolpassword IS NULL FROM pg_authid"
                                    + " WHERE rolname = 'Weird Name'"))
                    .isEqualTo("t");

            execute(uri, "postgres", "ALTER SYSTEM SET pg_task.json = '[{\"dat\":\"x\"}]'");
            execute(uri, "postgres", "SELECT pg_reload_conf()");
            up.hangUp();
            up.says("the old one goes on: entry 1: there is no key \"dat\": did you mean \"data\"?");
            runs(uri, "second", "public.task", "Weird Name");

            execute(
                    uri,
                    "postgres",
                    "ALTER SYSTEM SET pg_task.json = '[{\"data\":\"second\",\"user\":\"Weird Name\"}]'");
            execute(uri, "postgres", "SELECT pg_reload_conf()");
            up.hangUp();
            up.says("Sch ema.Ta\"ble in Weird Name is not served here any more");
            up.says("other settings hold for public.task in second");
            runs(uri, "second", "public.task", "Weird Name");
            up.terminate();
            assertThat(up.exitCode()).isZero();
        }
    }

    @Test
    void list_withoutNames_takesThemFromTheRoleElseTheDatabase()
            throws IOException, SQLException, InterruptedException {
        try (HowdahProcess up = HowdahProcess.start(
                home, Map.of(), "up", "--data", home.resolve("d").toString(), "--pg-port", "0", "--json")) {
            String uri = String.valueOf(up.ready().get("postgres"));
            for (String each : new String[] {
                "CREATE ROLE other LOGIN",
                "CREATE ROLE third LOGIN",
                "CREATE DATABASE second",
                "ALTER DATABASE second SET pg_task.schema = 'of_database'",
                "ALTER DATABASE second SET pg_task.\"table\" = 'of_database'",
                "ALTER ROLE third SET pg_task.\"table\" = 'of_role'",
                "GRANT CREATE ON DATABASE second TO other, third",
                "ALTER SYSTEM SET pg_task.json = '[{\"data\":\"second\",\"user\":\"postgres\"},"
                        + "{\"data\":\"second\",\"user\":\"other\"},{\"data\":\"second\",\"user\":\"third\","
                        + "\"schema\":\"own\"}]'",
                "SELECT pg_reload_conf()"
            }) execute(uri, "postgres", each);
            up.says("of_database.of_database in second run");
            up.says("tasks of own.of_role in second run");
            // Two entries for one table: the first counts.
            up.says("for another role: it has one scheduler, that of the entry before");
            runs(uri, "second", "of_database.of_database", "postgres");
            assertThat(value(uri, "second", "SELECT tableowner FROM pg_tables WHERE tablename = 'of_role'"))
                    .isEqualTo("third");
        }
    }

    @Test
    void list_onTheCommandLine_saysWhatIsMissing() throws IOException, SQLException, InterruptedException {
        try (HowdahProcess own = HowdahProcess.start(
                home, Map.of(), "up", "--data", home.resolve("d").toString(), "--pg-port", "0", "--json")) {
            String uri = String.valueOf(own.ready().get("postgres"));
            execute(uri, "postgres", "CREATE ROLE lean LOGIN");
            try (HowdahProcess up = HowdahProcess.start(
                    home,
                    Map.of(),
                    "up",
                    "--url",
                    uri.replace("postgres@", "lean@"),
                    "--tables",
                    "[{\"data\":\"x\"}]",
                    "--json")) {
                up.says(
                        "entry 1 (database \"x\", role \"x\"): there is no role \"x\", and role \"lean\" may not make it:"
                                + " CREATE ROLE \"x\" LOGIN");
                execute(uri, "postgres", "CREATE ROLE x LOGIN");
                up.says("role \"lean\" may not act as role \"x\": GRANT \"x\" TO \"lean\"");
                execute(uri, "postgres", "GRANT x TO lean");
                up.says(
                        "there is no database \"x\", and role \"lean\" may not make it: CREATE DATABASE \"x\" OWNER \"x\"");
                // Tasks of x run in a login of their own, which lean makes.
                execute(uri, "postgres", "ALTER ROLE lean CREATEROLE; GRANT x TO lean WITH ADMIN OPTION");
                execute(uri, "postgres", "CREATE DATABASE x OWNER x");
                assertThat(up.ready())
                        .containsEntry(
                                "postgres", uri.replace("postgres@", "lean@").replaceFirst("/postgres$", "/x"));
                runs(uri, "x", "public.task", "x");
            }
        }
    }
}
