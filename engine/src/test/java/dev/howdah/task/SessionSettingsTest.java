package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.Database;
import dev.howdah.embedded.EmbeddedPostgres;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a session has only from its beginning holds for the next task, although sessions are reused: as if each task had a
 * session of its own. Between change and task nothing is waited for.
 */
@Tag("long")
@PostgresTest
class SessionSettingsTest {
    private static final Path PROGRAMS =
            Path.of(System.getProperty("java.io.tmpdir"), "howdah-test-postgres-" + System.getProperty("user.name"));

    private final TestDatabase database;
    private final Scheduled tasks;
    private final String owner;
    private String server = "";

    SessionSettingsTest(TestDatabase database) {
        this.database = database;
        this.tasks = Scheduled.at(database.uri()).serve();
        this.owner = "owner_" + database.name();
    }

    @BeforeEach
    void makeOwner() {
        tasks.execute("CREATE ROLE " + owner + " LOGIN; GRANT INSERT, SELECT ON task TO " + owner
                + "; GRANT USAGE ON SEQUENCE task_id_seq TO " + owner);
        server = show("timezone").replace("DONE ", "");
    }

    @AfterEach
    void close() {
        tasks.close();
        for (String login : tasks.list(
                "SELECT rolname FROM pg_roles WHERE rolname LIKE 'howdah\\_%\\_%' AND rolname LIKE 'howdah\\_' ||"
                        + " (SELECT oid FROM pg_database WHERE datname = current_database()) || '\\_%'"))
            tasks.execute("DROP OWNED BY " + login + "; DROP ROLE " + login);
        if (tasks.number("SELECT count(*) FROM pg_roles WHERE rolname = '" + owner + "'") > 0)
            tasks.execute("DROP OWNED BY " + owner + "; DROP ROLE " + owner);
    }

    private long addAs(String role, String input) throws SQLException {
        try (Connection connection = Database.of(database.uri()).withUser(role).connect();
                Statement statement = connection.createStatement();
                var rows = statement.executeQuery(
                        "INSERT INTO task (input) VALUES ($input$" + input + "$input$) RETURNING id")) {
            rows.next();
            return rows.getLong(1);
        }
    }

    private String run(long id) {
        tasks.awaitEnd(id);
        return tasks.value(
                "SELECT state || ' ' || COALESCE(output, '') || COALESCE(error, '') FROM task WHERE id = " + id);
    }

    private String show(String setting) {
        return run(tasks.add("SHOW " + setting));
    }

    private String showAsOwner(String setting) throws SQLException {
        return run(addAs(owner, "SHOW " + setting));
    }

    private void alterDatabase(String what) {
        tasks.execute("DO $$ BEGIN EXECUTE format('ALTER DATABASE %I " + what + "', current_database()); END $$");
    }

    @Test
    void database_set_nextTaskOfAnybodyHasIt() throws SQLException {
        showAsOwner("work_mem");
        for (int mb = 11; mb < 17; mb++) {
            alterDatabase("SET work_mem = ''" + mb + "MB''");
            assertThat(show("work_mem")).isEqualTo("DONE " + mb + "MB");
            assertThat(showAsOwner("work_mem")).isEqualTo("DONE " + mb + "MB");
        }
        alterDatabase("RESET work_mem");
        assertThat(show("work_mem")).isEqualTo("DONE 4MB");
        assertThat(showAsOwner("work_mem")).isEqualTo("DONE 4MB");
    }

    @Test
    void searchPath_setForTheDatabase_nextTaskFindsWhatIsThere() {
        assertThat(run(tasks.add("SELECT 1"))).isEqualTo("DONE 1");
        tasks.execute("CREATE SCHEMA probe; CREATE FUNCTION probe.found() RETURNS text LANGUAGE sql AS 'SELECT"
                + " ''yes''::text'");
        alterDatabase("SET search_path = probe, public");
        assertThat(run(tasks.add("SELECT found()"))).isEqualTo("DONE yes");
    }

    @Test
    void role_set_nextTaskOfItsOwnHasIt() throws SQLException {
        assertThat(showAsOwner("work_mem")).isEqualTo("DONE 4MB");
        for (int mb = 21; mb < 27; mb++) {
            tasks.execute("ALTER ROLE " + owner + " SET work_mem = '" + mb + "MB'");
            assertThat(showAsOwner("work_mem")).isEqualTo("DONE " + mb + "MB");
        }
        tasks.execute("ALTER ROLE " + owner + " IN DATABASE \"" + database.name() + "\" SET work_mem = '31MB'");
        assertThat(showAsOwner("work_mem")).isEqualTo("DONE 31MB");
        tasks.execute("ALTER ROLE " + owner + " IN DATABASE \"" + database.name() + "\" RESET work_mem");
        tasks.execute("ALTER ROLE " + owner + " RESET work_mem");
        assertThat(showAsOwner("work_mem")).isEqualTo("DONE 4MB");
    }

    /** What repeats all the time gives no session the rest in which it would be closed. */
    @Test
    void role_setWhileItsTasksRepeat_everyLaterRunHasIt() throws SQLException {
        tasks.execute("GRANT UPDATE ON task TO " + owner);
        try (Connection connection = Database.of(database.uri()).withUser(owner).connect();
                Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO task (input, repeat) VALUES ('SHOW work_mem', '0.05 s')");
        }
        Scheduled.awaiting("it repeats")
                .until(() -> tasks.number("SELECT count(*) FROM task WHERE state = 'DONE'") > 10);
        tasks.execute("ALTER ROLE " + owner + " SET work_mem = '23MB'");
        long last = tasks.number("SELECT max(id) FROM task");
        Scheduled.awaiting("it repeats")
                .until(() -> tasks.number("SELECT count(*) FROM task WHERE state = 'DONE' AND id > " + last) > 20);
        assertThat(tasks.list("SELECT DISTINCT output FROM task WHERE state = 'DONE' AND id > " + last))
                .containsExactly("23MB");
    }

    @Test
    void rights_grantedAndRevoked_holdForTheNextTask() throws SQLException {
        tasks.execute("CREATE TABLE secret AS SELECT 42 AS answer");
        assertThat(run(addAs(owner, "SELECT answer FROM secret")))
                .startsWith("FAIL")
                .contains("permission denied");
        tasks.execute("GRANT SELECT ON secret TO " + owner);
        assertThat(run(addAs(owner, "SELECT answer FROM secret"))).isEqualTo("DONE 42");
        tasks.execute("REVOKE SELECT ON secret FROM " + owner);
        assertThat(run(addAs(owner, "SELECT answer FROM secret")))
                .startsWith("FAIL")
                .contains("permission denied");
    }

    @Test
    void membership_changed_holdsForTheNextTask() throws SQLException {
        String group = "group_" + database.name();
        tasks.execute("CREATE ROLE " + group + "; CREATE TABLE shared AS SELECT 7 AS answer; GRANT SELECT ON shared TO "
                + group);
        try {
            assertThat(run(addAs(owner, "SELECT answer FROM shared"))).startsWith("FAIL");
            tasks.execute("GRANT " + group + " TO " + owner);
            assertThat(run(addAs(owner, "SELECT answer FROM shared"))).isEqualTo("DONE 7");
            assertThat(run(addAs(owner, "SET ROLE " + group + "; SELECT current_user")))
                    .contains(group);
            tasks.execute("REVOKE " + group + " FROM " + owner);
            assertThat(run(addAs(owner, "SELECT answer FROM shared"))).startsWith("FAIL");
        } finally {
            tasks.execute("DROP OWNED BY " + group + "; DROP ROLE " + group);
        }
    }

    @Test
    void owner_mayNotConnectAnyMore_nextTaskFails() throws SQLException {
        assertThat(showAsOwner("work_mem")).startsWith("DONE");
        long later = tasks.number(
                "INSERT INTO task (input, owner, plan) VALUES ('SELECT 1', '" + owner + "', 'infinity') RETURNING id");
        tasks.execute(
                "DO $$ BEGIN EXECUTE format('REVOKE CONNECT ON DATABASE %I FROM PUBLIC', current_database()); END $$");
        tasks.execute("UPDATE task SET plan = now() WHERE id = " + later);
        assertThat(run(later)).startsWith("FAIL").contains("It may not connect to this database");
        tasks.execute("DO $$ BEGIN EXECUTE format('GRANT CONNECT ON DATABASE %I TO " + owner
                + "', current_database()); END $$");
        assertThat(showAsOwner("work_mem")).startsWith("DONE");
    }

    @Test
    void owner_hasANewPassword_tasksRunOn() throws SQLException {
        assertThat(showAsOwner("work_mem")).startsWith("DONE");
        tasks.execute("ALTER ROLE " + owner + " PASSWORD 'another'");
        assertThat(showAsOwner("work_mem")).startsWith("DONE");
    }

    @Test
    void owner_dropped_nextTaskFails_alsoWhenTheNameComesAgain() throws SQLException {
        assertThat(showAsOwner("work_mem")).startsWith("DONE");
        long later = tasks.number("INSERT INTO task (input, owner, plan) VALUES ('SELECT current_user', '" + owner
                + "', 'infinity') RETURNING id");
        tasks.execute("DROP OWNED BY " + owner + "; DROP ROLE " + owner);
        tasks.execute("UPDATE task SET plan = now() WHERE id = " + later);
        assertThat(run(later)).startsWith("FAIL").contains("There is no such role any more");
    }

    @Test
    void settings_ofAnotherRole_leaveSessionsAlone() {
        String other = "other_" + database.name();
        tasks.execute("CREATE ROLE " + other);
        try {
            // A session that rests for ten seconds is closed anyway, which a slow machine may take for this.
            Scheduled.awaiting("a session stays").until(() -> {
                long before = tasks.add("SELECT 1");
                tasks.awaitState(before, "DONE");
                tasks.execute("ALTER ROLE " + other + " SET work_mem = '9MB'");
                tasks.awaitState(tasks.add("SELECT 1"), "DONE");
                return tasks.number("SELECT count(*) FROM pg_stat_activity WHERE pid = " + tasks.column("pid", before))
                        == 1;
            });
        } finally {
            tasks.execute("DROP ROLE " + other);
        }
    }

    @Test
    void configuration_readAgain_nextTaskHasIt(@TempDir Path directory) throws SQLException {
        try (EmbeddedPostgres server =
                        EmbeddedPostgres.at(directory).binaries(PROGRAMS).start();
                Scheduled there = Scheduled.at(server.uri()).serve()) {
            long before = there.add("SHOW work_mem");
            there.awaitState(before, "DONE");
            there.execute("ALTER SYSTEM SET work_mem = '17MB'");
            there.execute("SELECT pg_reload_conf()");
            Scheduled.awaiting("the server has read it")
                    .until(() -> there.value("SHOW work_mem").equals("17MB"));
            long after = there.add("SHOW work_mem");
            there.awaitState(after, "DONE");
            assertThat(there.column("output", after)).isEqualTo("17MB");
        }
    }

    /** Within the time between two looks of the extension it does not matter how soon the next task comes. */
    @Test
    void tasksOfAGroup_addedOneAfterTheOther_shareASession() {
        try (TestDatabase there = TestDatabase.create();
                Scheduled slow = Scheduled.at(there.uri())) {
            slow.execute("ALTER ROLE CURRENT_USER IN DATABASE \"" + there.name() + "\" SET pg_task.sleep = 10000");
            slow.serve();
            shareASession(slow);
        }
    }

    private static void shareASession(Scheduled tasks) {
        for (String save : new String[] {"true", "false"}) {
            String group = "save " + save;
            long first = tasks.add(
                    "CREATE TEMP TABLE mine AS SELECT 1", "\"group\", count, save", "'" + group + "', 5, " + save);
            tasks.awaitState(first, "DONE");
            long second =
                    tasks.add("SELECT count(*) FROM mine", "\"group\", count, save", "'" + group + "', 5, " + save);
            assertThat(tasks.awaitEnd(second)).isEqualTo(save.equals("true") ? "DONE" : "FAIL");
            assertThat(tasks.column("pid", second)).isEqualTo(tasks.column("pid", first));
        }
        long first = tasks.add("SELECT 1", "\"group\", live", "'live', '1 hour'");
        tasks.awaitState(first, "DONE");
        long second = tasks.add("SELECT 1", "\"group\", live", "'live', '1 hour'");
        tasks.awaitState(second, "DONE");
        assertThat(tasks.column("pid", second)).isEqualTo(tasks.column("pid", first));
    }

    @Test
    void session_thatWaitsForItsGroup_isGivenUpWhenAnotherGroupNeedsIt() {
        try (TestDatabase there = TestDatabase.create();
                Scheduled narrow = Scheduled.at(there.uri())) {
            narrow.execute("ALTER ROLE CURRENT_USER IN DATABASE \"" + there.name() + "\" SET pg_task.sleep = 10000");
            narrow.serve(narrow.database(), 1);
            long first = narrow.add("SELECT 1", "\"group\", live", "'one', '1 hour'");
            narrow.awaitState(first, "DONE");
            long millis = Scheduled.millisUntil("the other group has had its turn", () -> {
                long other = narrow.add("SELECT 1", "\"group\"", "'other'");
                narrow.awaitState(other, "DONE");
                return true;
            });
            assertThat(millis).isLessThan(9_000);
        }
    }

    private void awaitTrue(String question) {
        Scheduled.awaiting(question).until(() -> "t".equals(tasks.value(question)));
    }

    /** The zone in which the plan of a schedule without a zone is 03:30, of all that are tried here. */
    private String zoneOfSchedule(String role) throws SQLException {
        long id;
        try (Connection connection = Database.of(database.uri()).withUser(role).connect();
                Statement statement = connection.createStatement();
                var rows = statement.executeQuery(
                        "INSERT INTO task (input, cron) VALUES ('SELECT 1', '30 3 * * *') RETURNING id")) {
            rows.next();
            id = rows.getLong(1);
        }
        awaitTrue("SELECT state = 'PLAN' AND plan > now() AND plan <= now() + interval '25 h' FROM task WHERE id = "
                + id);
        return tasks.value("SELECT string_agg(z.name, ' ') FROM unnest('{Asia/Tokyo,Asia/Kolkata,America/St_Johns,"
                + "Pacific/Chatham,Pacific/Marquesas," + server + "}'::text[]) z (name), task"
                + " WHERE id = " + id + " AND (plan AT TIME ZONE z.name)::time = '03:30'");
    }

    @Test
    void cronWithoutZone_isReadInTheZoneOfANewSessionOfTheOwner() throws SQLException {
        String role = "ALTER ROLE " + owner;
        String here = role + " IN DATABASE " + database.name();
        assertThat(zoneOfSchedule(owner)).as("the server's").isEqualTo(server);
        alterDatabase("SET timezone = ''Asia/Tokyo''");
        assertThat(zoneOfSchedule(owner)).as("the database's").isEqualTo("Asia/Tokyo");
        assertThat(zoneOfSchedule("postgres")).as("the daemon's").isEqualTo("Asia/Tokyo");
        tasks.execute(role + " SET timezone = 'America/St_Johns'");
        assertThat(zoneOfSchedule(owner)).as("the role's").isEqualTo("America/St_Johns");
        assertThat(zoneOfSchedule("postgres")).as("of another role").isEqualTo("Asia/Tokyo");
        tasks.execute(here + " SET timezone = 'Pacific/Chatham'");
        assertThat(zoneOfSchedule(owner)).as("the role's in the database").isEqualTo("Pacific/Chatham");
        assertThat(showAsOwner("timezone")).isEqualTo("DONE Pacific/Chatham");
        tasks.execute(here + " RESET timezone");
        tasks.execute(role + " RESET timezone");
        alterDatabase("RESET timezone");
        assertThat(zoneOfSchedule(owner)).as("the server's again").isEqualTo(server);
    }

    @Test
    void cronWithoutZone_settingTakenBack_isReadInTheZoneOfTheServer() throws SQLException {
        tasks.close();
        alterDatabase("SET timezone = ''Asia/Tokyo''");
        try (Scheduled again = Scheduled.at(database.uri()).serve()) {
            assertThat(zoneOfSchedule(owner)).isEqualTo("Asia/Tokyo");
            alterDatabase("RESET timezone");
            assertThat(zoneOfSchedule(owner)).isEqualTo(server);
            assertThat(again.value("SELECT count(*) FROM task WHERE state = 'FAIL'"))
                    .isEqualTo("0");
        }
    }

    @Test
    void cronWithoutZone_nextRunIsInTheZoneOfTheOwner() throws SQLException {
        tasks.execute("ALTER ROLE " + owner + " SET timezone = 'Pacific/Marquesas'");
        tasks.execute("INSERT INTO task (input, cron, owner, active, plan)"
                + " VALUES ('SELECT 1', '30 3 * * *', '" + owner
                + "', '2 days', date_trunc('day', now() AT TIME ZONE 'Pacific/Marquesas' - interval '3 h 30 min')"
                + " AT TIME ZONE 'Pacific/Marquesas' + interval '3 h 30 min')");
        awaitTrue("SELECT count(*) = 2 FROM task WHERE cron IS NOT NULL");
        assertThat(tasks.value("SELECT string_agg(state || ' ' || (plan AT TIME ZONE 'Pacific/Marquesas')::time, ', '"
                        + " ORDER BY id) FROM task WHERE cron IS NOT NULL"))
                .isEqualTo("DONE 03:30:00, PLAN 03:30:00");
    }
}
