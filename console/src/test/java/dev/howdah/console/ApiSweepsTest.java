package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.TestDatabase;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Sweeps by the API: started, read and changed. */
class ApiSweepsTest extends ApiTestBase {
    ApiSweepsTest(TestDatabase database) {
        super(database);
    }

    @Override
    void install() throws SQLException {
        ConsoleFixtures.tasksAndJobs(database);
        database.execute("CREATE TABLE IF NOT EXISTS invoice (id bigint PRIMARY KEY, net int, gross int);"
                + " TRUNCATE invoice; INSERT INTO invoice (id, net) SELECT i, i FROM generate_series(1, 300) i");
    }

    @Override
    ConsoleBuilder console() {
        return ConsoleFixtures.console(database).startSweeps(ConsoleFixtures.source(database));
    }

    /** A sweep of 300 invoices, with more fields. */
    private static String gross(String name, String more) {
        return "{\"name\": \"" + name + "\", \"table\": \"invoice\", \"key\": [\"id\"], \"where\": \"gross IS NULL\","
                + " \"mark\": \"gross = net * 119 / 100\"" + more + "}";
    }

    private String state(String name) {
        return api.get("/sweeps/" + name).json().at("/sweep/state").asText();
    }

    private void awaitState(String name, String state) {
        await(name + " is " + state)
                .atMost(Patience.LIMIT)
                .until(() -> state(name).equals(state));
    }

    @Test
    void sweep_isTriedStartedAndRemoved() {
        assertThat(api.get("/sweeps/g%2F1").status()).isEqualTo(404);
        ApiClient.Answer tried = api.post("/sweeps", gross("g/1", ", \"dry_run\": true"));
        assertThat(tried.status()).as(tried.response().body()).isEqualTo(200);
        assertThat(tried.text("started")).isEqualTo("false");
        assertThat(tried.text("table")).isEqualTo("\"public\".\"invoice\"");
        assertThat(tried.text("rows")).isEqualTo("300");
        assertThat(tried.json().path("statements").toString()).contains("gross = net * 119 / 100");
        assertThat(tried.json().path("objections")).isEmpty();
        assertThat(database.value("SELECT count(*) FROM invoice WHERE gross IS NOT NULL"))
                .isEqualTo("0");

        assertThat(api.post("/sweeps", gross("g/1", ", \"workers\": 2, \"attempts\": 1"))
                        .text("started"))
                .isEqualTo("true");
        awaitState("g%2F1", "done");
        assertThat(database.value("SELECT count(*) FROM invoice WHERE gross = net * 119 / 100"))
                .isEqualTo("300");
        ApiClient.Answer found = api.get("/sweeps/g%2F1");
        assertThat(found.json().at("/sweep/done").asText()).isEqualTo("300");
        assertThat(found.json().at("/definition/where").asText()).isEqualTo("gross IS NULL");
        assertThat(api.get("/sweeps").json().toString()).contains("\"g/1\"");
        assertThat(api.post("/sweeps/g%2F1/pause", null).text("changed")).isEqualTo("false");

        database.execute("UPDATE invoice SET gross = NULL");
        await("the console has let go of it")
                .atMost(Patience.LIMIT)
                .until(() ->
                        api.post("/sweeps", gross("g/1", ", \"dry_run\": true")).status() == 200);
        assertThat(api.post("/sweeps", gross("g/1", ", \"again\": true")).text("started"))
                .isEqualTo("true");
        await("the second generation")
                .atMost(Patience.LIMIT)
                .until(() -> state("g%2F1").equals("done")
                        && !api.get("/sweeps/g%2F1/history")
                                .json()
                                .path("items")
                                .isEmpty());
        assertThat(api.get("/sweeps/g%2F1/history?limit=1")
                        .json()
                        .at("/items/0/done")
                        .asText())
                .isEqualTo("300");
        assertThat(api.post("/sweeps/g%2F1/remove", null).text("changed")).isEqualTo("true");
        assertThat(api.post("/sweeps/g%2F1/remove", null).status()).isEqualTo(404);
        assertThat(database.query("SELECT DISTINCT action FROM howdah.audit WHERE action LIKE 'sweeps.%'"))
                .extracting(row -> String.valueOf(row.get(0)))
                .contains("sweeps.start", "sweeps.pause", "sweeps.remove");
    }

    @Test
    void sweep_thatRuns_isPausedThrottledAndStopped() {
        assertThat(api.post("/sweeps", gross("slow", ", \"workers\": 1, \"batch\": 1, \"rows_per_second\": 0.5"))
                        .text("started"))
                .isEqualTo("true");
        assertThat(api.get("/sweeps/slow").json().path("limit").asDouble()).isEqualTo(0.5);
        assertThat(api.post("/sweeps", gross("slow", "")).text("detail")).contains("it is worked on here already");
        assertThat(api.post("/sweeps/slow/pause", null).text("changed")).isEqualTo("true");
        assertThat(api.post("/sweeps/slow/pause", null).text("changed")).isEqualTo("false");
        assertThat(state("slow")).isEqualTo("paused");
        assertThat(api.get("/sweeps/slow/why").json().toString()).contains("paused");
        assertThat(api.post("/sweeps/slow/throttle", "{\"rows_per_second\": 1}").text("changed"))
                .isEqualTo("true");
        assertThat(api.post("/sweeps/slow/throttle", "{\"rows_per_second\": -1}")
                        .status())
                .isEqualTo(422);
        assertThat(api.post("/sweeps/slow/resume", null).text("changed")).isEqualTo("true");
        assertThat(api.post("/sweeps/slow/stop", null).text("changed")).isEqualTo("true");
        awaitState("slow", "stopped");
    }

    @Test
    void rows_thatFail_areListedAndTriedAgain() {
        database.execute("ALTER TABLE invoice ADD CONSTRAINT small CHECK (gross IS NULL OR id <> 7 OR gross = 1)");
        try {
            api.post("/sweeps", gross("failing", ", \"attempts\": 1"));
            awaitState("failing", "done");
            ApiClient.Answer errors = api.get("/sweeps/failing/errors");
            assertThat(errors.json().at("/items/0/key").toString()).isEqualTo("[\"7\"]");
            assertThat(errors.json().at("/items/0/error").asText()).contains("small");
            assertThat(errors.json().path("items")).hasSize(1);
        } finally {
            database.execute("ALTER TABLE invoice DROP CONSTRAINT small");
        }
        assertThat(api.post("/sweeps/failing/retry-failed", null).text("rows")).isEqualTo("1");
        assertThat(api.get("/sweeps/failing/errors").json().path("items")).isEmpty();
    }

    @Test
    void start_ofWhatIsWrong_saysWhat() {
        ApiClient.Answer column = api.post("/sweeps", gross("wrong", "").replace("gross IS NULL", "gros IS NULL"));
        assertThat(column.status()).isEqualTo(422);
        assertThat(column.text("detail")).contains("column \"gros\" does not exist");
        assertThat(api.post("/sweeps", gross("wrong", ", \"workers\": 17")).text("detail"))
                .contains("workers: the number of workers", "1 to 16");
        assertThat(api.post("/sweeps", gross("wrong", ", \"rows_per_second\": -1"))
                        .text("detail"))
                .contains("rows_per_second", "has to be a number from 0 to 1000000000, not \"-1\"");
        assertThat(api.post("/sweeps", gross("wrong", ", \"sql\": \"\"")).status())
                .isEqualTo(422);
        ApiClient.Answer table =
                api.post("/sweeps", gross("wrong", "").replace("\"invoice\"", "\"none; DROP TABLE invoice\""));
        assertThat(table.status()).isEqualTo(422);
        assertThat(database.value("SELECT count(*) FROM invoice")).isEqualTo("300");
        assertThat(api.get("/sweeps/wrong").status()).isEqualTo(404);
        for (String verb : new String[] {"pause", "resume", "stop", "retry-failed", "remove"})
            assertThat(api.post("/sweeps/none/" + verb, null).status()).as(verb).isEqualTo(404);
        assertThat(api.get("/sweeps/none/errors").text("detail")).contains("there is no sweep");
    }

    @Test
    void console_thatMayStartNone_hasNoSuchOperation() {
        try (Console other = ConsoleFixtures.console(database).start()) {
            ApiClient client = new ApiClient(other.address());
            assertThat(client.document().toString()).contains("listSweeps").doesNotContain("startSweep");
        }
    }

    @Test
    void failedRows_onPages_comeOnceEach_alsoBackwards() {
        api.post("/sweeps", gross("paged", ", \"workers\": 1"));
        awaitState("paged", "done");
        database.execute("INSERT INTO howdah.sweep_error (sweep, key, error)"
                + " SELECT s.id, ARRAY['k\"' || i, 'ü'], 'refused ' || i FROM howdah.sweep s, generate_series(1, 120) i"
                + " WHERE s.name = 'paged'");
        List<String> forwards = new ArrayList<>();
        List<String> backwards = new ArrayList<>();
        JsonNode page = api.get("/sweeps/paged/errors?limit=50").json();
        assertThat(page.has("previous")).isFalse();
        forwards.addAll(keys(page));
        while (page.has("next")) {
            page = errors("after", page.path("next").asText());
            forwards.addAll(keys(page));
        }
        backwards.addAll(keys(page));
        while (page.has("previous")) {
            page = errors("before", page.path("previous").asText());
            backwards.addAll(0, keys(page));
        }
        assertThat(forwards).hasSize(120).doesNotHaveDuplicates();
        assertThat(backwards).isEqualTo(forwards);
        assertThat(api.get("/sweeps/paged/errors?after=k").status()).isEqualTo(422);
        ConsoleClient browser = new ConsoleClient(console.address());
        String first = browser.get("/sweeps/paged").body();
        Matcher next = Pattern.compile("<a href=\"([^\"]*)\" data-next").matcher(first);
        assertThat(next.find()).isTrue();
        assertThat(browser.get(next.group(1).replace("&amp;", "&")).body())
                .contains("data-previous", forwards.get(50))
                .doesNotContain(">" + forwards.get(1) + "<");
        assertThat(browser.get("/sweeps/paged?after=k").statusCode()).isEqualTo(400);
    }

    private JsonNode errors(String parameter, String place) {
        return api.get("/sweeps/paged/errors?limit=50&" + parameter + "="
                        + URLEncoder.encode(place, StandardCharsets.UTF_8))
                .json();
    }

    private static List<String> keys(JsonNode page) {
        List<String> keys = new ArrayList<>();
        page.path("items")
                .forEach(each -> keys.add(
                        each.at("/key/0").asText() + ", " + each.at("/key/1").asText()));
        return keys;
    }
}
