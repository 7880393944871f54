package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import dev.howdah.job.Jobs;
import dev.howdah.process.Processes;
import java.sql.Connection;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code howdah doctor}: its output and exit codes. */
@Tag("long")
class DoctorCommandTest {
    private static CommandLineRun doctor(String uri, String... words) {
        String[] all = new String[words.length + 3];
        all[0] = "doctor";
        all[1] = "--url";
        all[2] = uri;
        System.arraycopy(words, 0, all, 3, words.length);
        return CommandLineRun.of(all);
    }

    @Test
    void doctor_ofHealthyDatabase_endsWithZero() {
        // Servers of tests run without fsync.
        TestServer server = TestServer.with(Map.of("fsync", "on", "full_page_writes", "on"));
        try (TestDatabase database = TestDatabase.create(server)) {
            CommandLineRun run = doctor(database.uri());
            assertThat(run.out())
                    .contains("ok        autovacuum        Autovacuum is on.\n")
                    .doesNotContain(">");
            assertThat(run.exitCode()).as(run.out()).isZero();
        }
    }

    @Test
    void doctor_withSomethingCritical_saysItFirst_andEndsWithTwo() {
        TestServer server = TestServer.with(Map.of("fsync", "off", "full_page_writes", "on"));
        try (TestDatabase database = TestDatabase.create(server)) {
            CommandLineRun run = doctor(database.uri());
            assertThat(run.exitCode()).isEqualTo(2);
            assertThat(run.out())
                    .startsWith("critical  durability        fsync is off: a crash of the machine can lose or destroy"
                            + " the database.\n"
                            + "          fsync off (off)\n"
                            + "          > ALTER SYSTEM SET fsync = on; SELECT pg_reload_conf();\n");
            assertThat(doctor(database.uri(), "--json").out())
                    .startsWith("{\"check\":\"durability\",\"level\":\"critical\",\"value\":\"fsync off\",");
        }
    }

    @Test
    void doctor_asRoleThatSeesNoSessions_saysWhichGrantIsMissing_andEndsWithThree() {
        TestServer server = TestServer.with(Map.of("fsync", "on", "full_page_writes", "on"));
        try (TestDatabase database = TestDatabase.create(server)) {
            database.execute("CREATE ROLE viewer LOGIN");
            CommandLineRun run = doctor(database.uri().replace("postgres@", "viewer@"));
            assertThat(run.exitCode()).isEqualTo(3);
            assertThat(run.out())
                    .startsWith("unknown   snapshot          Role viewer may not see what sessions of other roles do.\n"
                            + "          > GRANT pg_monitor TO viewer;\n");
        }
    }

    @Test
    void doctor_ofTablesOfAnotherVersion_saysWhatBringsThemUpToDate() throws Exception {
        TestServer server = TestServer.with(Map.of("fsync", "on", "full_page_writes", "on"));
        try (TestDatabase database = TestDatabase.create(server)) {
            try (Connection connection = database.connect()) {
                Jobs.install(connection);
            }
            assertThat(doctor(database.uri()).out())
                    .contains("ok        tables  ", "ok        server  ", "ok        clock  ");
            // No version before this one was released.
            database.execute("UPDATE howdah.migration SET version = 0 WHERE feature = 'job'");
            CommandLineRun run = doctor(database.uri());
            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.out())
                    .startsWith(
                            "warning   tables            The tables of jobs have version 0, this program has version "
                                    + Jobs.schemaVersion() + ": ")
                    .contains("          > howdah job install\n");
            database.execute("INSERT INTO howdah.migration (feature, version) VALUES ('job', 99)");
            CommandLineRun newer = doctor(database.uri());
            assertThat(newer.exitCode()).isZero();
            assertThat(newer.out()).startsWith("notice    tables            The tables of jobs have version 99");
            database.execute("CREATE ROLE stranger LOGIN; GRANT pg_monitor TO stranger");
            assertThat(doctor(database.uri().replace("postgres@", "stranger@")).out())
                    .contains("unknown   tables            Role stranger may not read");
            database.execute("ALTER TABLE howdah.migration RENAME made TO applied");
            CommandLineRun unreleased = doctor(database.uri());
            assertThat(unreleased.exitCode()).isEqualTo(2);
            assertThat(unreleased.out())
                    .startsWith(
                            "critical  tables            The tables in the schema howdah (job 99, node 1) were made by"
                                    + " an unreleased version of Howdah, and cannot be brought up to date.\n")
                    .contains("          > If nothing in the schema is of another program, remove it with its rows"
                            + " (DROP SCHEMA IF EXISTS howdah, howdah_internal CASCADE)\n");
        }
    }

    @Test
    void doctor_ofRolesThatLackPrivileges_namesThemWithTheGrant() throws Exception {
        TestServer server = TestServer.with(Map.of("fsync", "on", "full_page_writes", "on"));
        try (TestDatabase database = TestDatabase.create(server)) {
            try (Connection connection = database.connect()) {
                Jobs.install(connection);
                Processes.install(connection);
            }
            database.execute("CREATE ROLE works LOGIN; CREATE ROLE \"half role\" LOGIN; CREATE ROLE nobody_yet LOGIN;"
                    + " GRANT pg_monitor TO works, \"half role\", nobody_yet");
            try {
                database.execute("SELECT howdah.allow('works', 'worker')");
                assertThat(doctor(database.uri()).exitCode()).isZero();

                // As after an upgrade without another call of howdah.allow.
                database.execute(
                        "REVOKE EXECUTE ON FUNCTION howdah.unread() FROM works;"
                                + " GRANT USAGE ON SCHEMA howdah TO \"half role\"; GRANT INSERT ON howdah_internal.process TO \"half role\"");
                CommandLineRun run = doctor(database.uri());
                assertThat(run.exitCode()).isEqualTo(1);
                assertThat(run.out())
                        .contains("warning   privileges        Role works may work with jobs, but lacks privileges for"
                                + " some of it.\n          EXECUTE ON FUNCTION howdah.unread() (some are missing)\n"
                                + "          > SELECT howdah.allow('works', 'worker');\n")
                        .contains("Role half role may work with processes");
                for (String line : run.out().split("\n"))
                    if (line.startsWith("          > ")) database.execute(line.substring(12));
                assertThat(doctor(database.uri()).exitCode())
                        .as("after its remedies")
                        .isZero();

                CommandLineRun other = doctor(database.uri().replace("postgres@", "nobody_yet@"));
                assertThat(other.out())
                        .contains("notice    privileges        Role nobody_yet may not run jobs")
                        .contains("> SELECT howdah.allow('nobody_yet', 'worker');");
            } finally {
                database.execute("DROP OWNED BY works, \"half role\", nobody_yet;"
                        + " DROP ROLE works, \"half role\", nobody_yet");
            }
        }
    }

    @Test
    void doctor_ofDaemonWhoseRoleIsTooWeak_saysWhatItNeeds() throws Exception {
        TestServer server = TestServer.with(Map.of("fsync", "on", "full_page_writes", "on"));
        try (TestDatabase database = TestDatabase.create(server)) {
            database.execute("CREATE ROLE keeper LOGIN CONNECTION LIMIT 20; CREATE ROLE app LOGIN;"
                    + " GRANT pg_monitor TO keeper; GRANT CREATE ON SCHEMA public TO keeper");
            try {
                String uri = database.uri().replace("postgres@", "keeper@");
                assertThat(doctor(uri).out())
                        .contains("warning   budget            A daemon with these settings takes up to 47 connections,"
                                + " and can have 20 now")
                        .contains("> ALTER ROLE keeper CONNECTION LIMIT 47;");
                database.execute("ALTER ROLE keeper CONNECTION LIMIT 47");
                database.execute("SET ROLE keeper; CREATE TABLE public.task (state text, owner text);"
                        + " INSERT INTO public.task VALUES ('PLAN', 'app')");
                CommandLineRun run = doctor(uri);
                assertThat(run.exitCode()).as(run.out()).isEqualTo(1);
                assertThat(run.out())
                        .contains("> ALTER ROLE keeper CREATEROLE;")
                        .contains("warning   privileges        Tasks of role app wait")
                        .contains("> GRANT app TO keeper WITH ADMIN OPTION;")
                        .doesNotContain(
                                "budget            A daemon with these settings takes up to 47 connections, and");
                database.execute("ALTER ROLE keeper CREATEROLE; GRANT app TO keeper WITH ADMIN OPTION");
                assertThat(doctor(uri).out()).contains("ok        privileges");
                try (Connection holder = database.connect();
                        Statement holds = holder.createStatement()) {
                    holder.setAutoCommit(false);
                    holds.execute("LOCK TABLE public.task");
                    assertThat(doctor(uri).out())
                            .contains("unknown   privileges        The owners of tasks that wait could not be read");
                }
                // A table from elsewhere.
                database.execute("ALTER TABLE public.task DROP COLUMN owner; ALTER ROLE keeper NOCREATEROLE");
                assertThat(doctor(uri).out()).contains("ok        privileges");
            } finally {
                database.execute("DROP OWNED BY keeper, app; DROP ROLE keeper, app");
            }
        }
    }

    @Test
    void doctor_ofOldTablesOfSweepsAndTheConsole_saysBoth() throws Exception {
        TestServer server = TestServer.with(Map.of("fsync", "on", "full_page_writes", "on"));
        try (TestDatabase database = TestDatabase.create(server)) {
            try (Connection connection = database.connect()) {
                Jobs.install(connection);
            }
            database.execute("INSERT INTO howdah.migration (feature, version) VALUES ('sweep', 0), ('console', 0)");
            CommandLineRun run = doctor(database.uri());
            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.out())
                    .contains(
                            "warning   tables            The tables of sweeps have version 0, this program has version ")
                    .contains("> howdah sweep install")
                    .contains("warning   tables            The tables of the console have version 0");
        }
    }

    @Test
    void doctor_help_hasExamplesAndExitCodes() {
        assertThat(CommandLineRun.of("doctor", "--help").out()).contains("Exit codes: 0", "  howdah doctor\n");
    }
}
