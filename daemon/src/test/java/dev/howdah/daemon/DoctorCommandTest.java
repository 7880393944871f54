package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import dev.howdah.job.Jobs;
import java.sql.Connection;
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
            database.execute("DELETE FROM howdah.migration WHERE feature = 'job' AND version > 1");
            CommandLineRun run = doctor(database.uri());
            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.out())
                    .startsWith(
                            "warning   tables            The tables of jobs have version 1, this program has version "
                                    + Jobs.schemaVersion() + ": ")
                    .contains("          > howdah job install\n");
            database.execute("INSERT INTO howdah.migration (feature, version) VALUES ('job', 99)");
            CommandLineRun newer = doctor(database.uri());
            assertThat(newer.exitCode()).isZero();
            assertThat(newer.out()).startsWith("notice    tables            The tables of jobs have version 99");
            database.execute("CREATE ROLE stranger LOGIN; GRANT pg_monitor TO stranger");
            assertThat(doctor(database.uri().replace("postgres@", "stranger@")).out())
                    .contains("unknown   tables            The role may not read");
        }
    }

    @Test
    void doctor_help_hasExamplesAndExitCodes() {
        assertThat(CommandLineRun.of("doctor", "--help").out()).contains("Exit codes: 0", "  howdah doctor\n");
    }
}
