package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.net.URI;
import java.net.http.HttpResponse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A database without tables of jobs: what the console and the API say, and that they create them. */
@PostgresTest
class InstallPagesTest {
    private final TestDatabase database;
    private @Nullable Console console;

    InstallPagesTest(TestDatabase database) {
        this.database = database;
    }

    @AfterEach
    void stop() {
        if (console != null) console.close();
    }

    private URI start(ConsoleBuilder builder) {
        Console started = builder.start();
        console = started;
        return started.address();
    }

    private String page(ConsoleClient client, String path) {
        HttpResponse<String> answer = client.get(path);
        assertThat(answer.statusCode()).as(path).isEqualTo(200);
        return answer.body();
    }

    @Test
    void tables_createdByTheButton_takeAJob() {
        ConsoleClient client = new ConsoleClient(start(ConsoleFixtures.console(database)));
        for (String path :
                new String[] {"/jobs", "/jobs/new", "/jobs/queues", "/schedules", "/schedules/new", "/calendars"})
            assertThat(page(client, path)).as(path).contains("action=\"/install/jobs\"", "Create the tables of jobs");
        // Without JavaScript a page in between asks.
        assertThat(client.submit("/jobs", "/install/jobs", "").body())
                .contains("Create the tables of jobs in the schema howdah?");
        assertThat(database.value("SELECT to_regclass('howdah_internal.job') IS NULL"))
                .isEqualTo("t");
        HttpResponse<String> created = client.submit("/jobs", "/install/jobs", "confirmed=yes");
        assertThat(created.statusCode()).isEqualTo(303);
        assertThat(created.headers().firstValue("Location")).hasValue("/jobs");
        assertThat(page(client, "/jobs")).contains("href=\"/jobs/new\"").doesNotContain("/install/");
        String job = "kind=welcome&queue=mail&payload=%7B%7D";
        client.submit("/jobs/new", "/jobs/new", job);
        assertThat(database.value("SELECT count(*) FROM howdah_internal.job")).isEqualTo("1");
        assertThat(database.value("SELECT string_agg(DISTINCT action, ' ') FROM howdah.audit"))
                .isNotBlank();
        assertThat(page(client, "/settings")).contains("action=\"/uninstall/jobs\"");
        client.submit("/settings", "/uninstall/jobs", "confirmed=yes");
        assertThat(database.value("SELECT count(*) FROM howdah_internal.job"))
                .as("a job waits")
                .isEqualTo("1");
        database.execute("DELETE FROM howdah_internal.job");
        client.submit("/settings", "/uninstall/jobs", "confirmed=yes");
        assertThat(database.value("SELECT to_regclass('howdah_internal.job') IS NULL"))
                .isEqualTo("t");
        assertThat(client.submit("/jobs/new", "/install/wishes", "confirmed=yes")
                        .statusCode())
                .isEqualTo(404);
    }

    @Test
    void api_createsThemToo() {
        ApiClient api = new ApiClient(start(ConsoleFixtures.console(database)));
        ApiClient.Answer early = api.post("/jobs", "{\"kind\": \"k\", \"queue\": \"q\", \"payload\": 1}");
        assertThat(early.status()).isEqualTo(409);
        assertThat(early.text("detail")).contains("/features/{feature}/install");
        assertThat(api.get("/features").json().path("jobs").asBoolean()).isFalse();
        for (String each : new String[] {"jobs", "processes", "sweeps"}) {
            ApiClient.Answer created = api.post("/features/" + each + "/install", null);
            assertThat(created.text("changed")).as(created.response().body()).isEqualTo("true");
            assertThat(api.post("/features/" + each + "/install", null).text("changed"))
                    .isEqualTo("false");
            assertThat(api.get("/features").json().path(each).asBoolean()).isTrue();
        }
        assertThat(api.post("/features/wishes/install", null).status()).isEqualTo(404);
        assertThat(api.post("/jobs", "{\"kind\": \"k\", \"queue\": \"q\", \"payload\": 1}")
                        .status())
                .isEqualTo(201);
    }

    @Test
    void role_thatMayNotCreateThem_isToldWhatIsMissing() {
        database.execute("CREATE ROLE \"Shop reader\" LOGIN");
        try {
            ApiClient api = new ApiClient(start(Console.on(ConsoleFixtures.sourceAs(database, "Shop reader"))
                    .port(0)));
            ApiClient.Answer refused = api.post("/features/jobs/install", null);
            assertThat(refused.status()).as(refused.response().body()).isEqualTo(403);
            assertThat(refused.text("detail")).contains("GRANT CREATE ON DATABASE", "TO \"Shop reader\"");
            assertThat(refused.text("grant"))
                    .startsWith("GRANT CREATE ON DATABASE")
                    .endsWith("TO \"Shop reader\"");
            assertThat(refused.text("sqlstate")).isEqualTo("42501");
            assertThat(database.value("SELECT to_regnamespace('howdah') IS NULL"))
                    .isEqualTo("t");
        } finally {
            database.execute("DROP ROLE \"Shop reader\"");
        }
    }
}
