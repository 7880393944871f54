package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.sweep.Sweep;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The pages of sweeps, of which no process works on any. */
@PostgresTest
class SweepPagesTest {
    private final TestDatabase database;
    private Console console;
    private ConsoleClient client;

    SweepPagesTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeEach
    void start() throws SQLException {
        try (Connection connection = database.connect()) {
            Sweep.install(connection);
        }
        console = ConsoleFixtures.console(database).start();
        client = new ConsoleClient(console.address());
    }

    @AfterEach
    void stop() {
        console.close();
    }

    private void fill() {
        database.execute(
                "INSERT INTO howdah.sweep (name, definition, total, exact, done)"
                        + " VALUES ('mailing', '{\"table\": \"public.customer\", \"where\": \"mailed IS NULL\", \"key\": \"id\","
                        + " \"mark\": \"mailed = now()\", \"sql\": \"SELECT ''x'' FROM batch\"}', 100, true, 40);"
                        + " INSERT INTO howdah.sweep_error (sweep, key, error) SELECT 1, ARRAY[n::text],"
                        + " CASE WHEN n = 9 THEN '<script>alert(1)</script>' ELSE 'no address for p' || n END FROM generate_series(7, 9) n");
    }

    private String page(String path) {
        HttpResponse<String> answer = client.get(path);
        assertThat(answer.statusCode()).as(path).isEqualTo(200);
        assertThat(answer.body()).as(path).doesNotContain("<script>alert").doesNotContain("class=\"problem\"");
        return answer.body().replaceAll("\\s+", " ");
    }

    @Test
    void sweep_hasAChartOfItsRowsAMinute_whichStartsAgainWithAnotherRun() {
        fill();
        database.execute("INSERT INTO howdah_internal.sweep_course (sweep, minute, at, done, failed)"
                + " SELECT 1, to_timestamp(floor(extract(epoch FROM now()) / 60) * 60) - m * interval '1 min', now(), d, 1"
                + " FROM (VALUES (30, 10), (29, 40), (28, 5), (27, 25)) c (m, d)");
        assertThat(page("/sweeps/mailing")).contains("Rows a minute", "65 done in 1h", "30 rows done", "5 rows done");
        assertThat(client.get("/files/charts/sweeps/mailing?format=csv&range=24h")
                        .body())
                .startsWith("time,done,failed");
    }

    private String state() {
        return String.valueOf(database.value("SELECT state FROM howdah.sweep"));
    }

    @Test
    void list_empty_teachesTheFirstCommand() {
        assertThat(page("/sweeps")).contains("howdah sweep --name welcome");
    }

    @Test
    void sweep_showsProgressErrorsAndItsCommand() {
        fill();
        assertThat(page("/sweeps")).contains("/sweeps/mailing\"", "public.customer", ">57</td>");
        assertThat(page("/sweeps?state=done")).contains("No sweep is in this state");
        assertThat(page("/sweeps/mailing"))
                .contains("40 rows done", "of 100, which were counted", "3 failed", "No process works on it")
                .contains(
                        "no address for p...",
                        "&lt;script&gt;",
                        "howdah sweep --name 'mailing' --table 'public.customer'")
                .contains("'SELECT '\\''x'\\'' FROM batch'");
        assertThat(client.get("/sweeps/none").statusCode()).isEqualTo(404);
    }

    @Test
    void buttons_changeTheSweep() {
        fill();
        String path = "/sweeps/mailing";
        assertThat(client.submit(path, path + "/pause", "").body()).contains("Pause sweep mailing?");
        assertThat(state()).isEqualTo("running");
        client.submit(path, path + "/pause", "confirmed=yes");
        assertThat(state()).isEqualTo("paused");
        client.submit(path, path + "/resume", "");
        assertThat(state()).isEqualTo("running");
        client.submit(path, path + "/throttle", "rows_per_second=12.5");
        assertThat(database.value("SELECT throttle FROM howdah.sweep")).isEqualTo("12.5");
        assertThat(client.submit(path, path + "/throttle", "rows_per_second=fast")
                        .statusCode())
                .isEqualTo(400);
        client.submit(path, path + "/throttle", "rows_per_second=0");
        assertThat(database.value("SELECT throttle IS NULL FROM howdah.sweep")).isEqualTo("t");
        client.submit(path, path + "/retry-failed", "confirmed=yes");
        assertThat(database.value("SELECT count(*) FROM howdah.sweep_error")).isEqualTo("0");
        client.submit(path, path + "/stop", "confirmed=yes");
        assertThat(state()).isEqualTo("stopped");
        client.submit(path, path + "/remove", "confirmed=yes");
        assertThat(database.value("SELECT count(*) FROM howdah.sweep")).isEqualTo("0");
    }
}
