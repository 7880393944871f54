package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Installations in schemas of their own, from the command line. */
@PostgresTest
class InstallationTest {
    private final TestDatabase database;

    InstallationTest(TestDatabase database) {
        this.database = database;
    }

    private CommandLineRun run(String... words) {
        List<String> all = new ArrayList<>(List.of(words));
        if (!all.get(1).equals("schema")) all.addAll(List.of("--url", database.uri()));
        return CommandLineRun.of("", Map.of("HOME", "/nonexistent"), all.toArray(String[]::new));
    }

    private String well(String... words) {
        CommandLineRun run = run(words);
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run.out();
    }

    @Test
    void jobs_ofTwoInstallations_areApart() {
        for (String each : List.of("acme", "other")) well("job", "install", "--installation", each);
        assertThat(database.value("SELECT to_regnamespace('howdah') IS NULL")).isEqualTo("t");
        well("job", "add", "welcome", "1", "--installation", "acme");
        well("job", "schedule", "put", "daily", "report", "--cron", "0 9 * * *", "--installation", "acme");
        assertThat(well("job", "list", "--state", "waiting", "--json", "--installation", "acme"))
                .hasLineCount(1);
        assertThat(well("job", "list", "--state", "waiting", "--json", "--installation", "other"))
                .isEmpty();
        assertThat(well("job", "schedule", "list", "--json", "--installation", "other"))
                .isEmpty();
        assertThat(run("job", "list", "--state", "waiting").err()).contains("there are no jobs in database");
        well("job", "uninstall", "--installation", "other");
        assertThat(database.value("SELECT to_regnamespace('other') IS NULL")).isEqualTo("t");
        assertThat(run("job", "uninstall", "--installation", "acme").err()).contains("jobs are still there: 1 wait");
        well("job", "uninstall", "--force", "--installation", "acme");
        assertThat(database.value("SELECT to_regnamespace('acme') IS NULL")).isEqualTo("t");
    }

    @Test
    void schema_ofAnInstallation_makesItsTables() {
        String text = well("job", "schema", "--from", "0", "--to", "1", "--installation", "acme");
        assertThat(text).doesNotContain("howdah");
        database.execute("BEGIN; " + text + "; COMMIT");
        well("job", "add", "welcome", "1", "--installation", "acme");
        well("process", "install", "--installation", "acme");
        assertThat(well("process", "schema", "--installation", "acme"))
                .contains("acme_internal.process")
                .doesNotContain("howdah");
        assertThat(database.value("SELECT string_agg(feature, ' ' ORDER BY feature) FROM acme.migration"))
                .isEqualTo("job node process");
    }

    @Test
    void name_thatIsNone_isRefused() {
        CommandLineRun run = run("job", "list", "--state", "waiting", "--installation", "Acme Corp");
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err())
                .isEqualTo(
                        "howdah: --installation: a schema for the tables is named by 1 to 40 small letters, digits and"
                                + " underscores, a letter first; not \"Acme Corp\"\n");
        assertThat(run("process", "list", "x", "--installation", "pg_catalog").err())
                .contains("--installation: the schema of the tables cannot be named pg_catalog");
    }
}
