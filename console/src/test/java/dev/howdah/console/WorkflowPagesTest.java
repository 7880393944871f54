package dev.howdah.console;

import static dev.howdah.console.ConsoleFixtures.text;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.fixtures.TestDatabase;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Workflows of jobs by pages and by the API, where no node runs. */
class WorkflowPagesTest extends ApiTestBase {
    private ConsoleClient client;

    WorkflowPagesTest(TestDatabase database) {
        super(database);
    }

    @BeforeEach
    void open() {
        client = new ConsoleClient(console.address());
    }

    private String workflow(String jobs) {
        return String.valueOf(database.value("SELECT howdah.add_workflow('" + jobs + "')"));
    }

    @Test
    void workflow_isShownAsAGraphAndCancelled() {
        assertThat(text(client.get("/workflows"))).contains("There are no workflows");
        String id = workflow("[{\"name\": \"orders\", \"kind\": \"count\"},"
                + " {\"name\": \"<b>visits\", \"kind\": \"count\"},"
                + " {\"name\": \"sum\", \"kind\": \"merge\", \"after\": [\"orders\", \"<b>visits\"]}]");
        String path = "/workflows/" + id;
        assertThat(text(client.get("/workflows"))).contains("href=\"" + path + "\"", "max=\"3\" value=\"0\"");
        String page = text(client.get(path));
        assertThat(page)
                .contains("0 of 3 jobs have ended", "<title>sum: waiting for others</title>", "&lt;b&gt;visits, orders")
                .doesNotContain("<b>visits");
        assertThat(page.split("<line ", -1)).hasSize(3);
        // No node works: nothing of it runs.
        assertThat(page).contains("orders waits: No node works.").doesNotContain("\u25b6");
        assertThat(text(client.get("/workflows"))).doesNotContain("\u25b6");
        String job = String.valueOf(database.value("SELECT id FROM howdah.workflow_jobs WHERE name = 'orders'"));
        assertThat(text(client.get("/jobs/" + job))).contains("<a href=\"" + path + "\">workflow " + id + "</a>");
        assertThat(client.submit(path, path + "/cancel", "").body()).contains("Cancel workflow " + id + "?");
        client.submit(path, path + "/cancel", "confirmed=yes");
        assertThat(database.value(
                        "SELECT outcome FROM howdah.audit WHERE action = 'workflows.cancel' AND outcome <> 'begun'"))
                .isEqualTo("done");
        assertThat(client.get("/workflows/99999").statusCode()).isEqualTo(404);
        assertThat(client.submit(path, "/workflows/99999/cancel", "confirmed=yes")
                        .statusCode())
                .isEqualTo(404);
    }

    @Test
    void workflow_addedByTheApi_isThereOnce() {
        ApiClient.Answer added = api.post(
                "/workflows",
                "{\"name\": \"two\", \"jobs\": [{\"kind\": \"a\", \"name\": \"a\"}, {\"kind\": \"b\", \"after\": [\"a\"]}],"
                        + " \"when_done\": {\"kind\": \"c\"}}");
        assertThat(added.status()).as(added.response().body()).isEqualTo(201);
        String path = "/workflows/" + added.text("id");
        assertThat(added.response().headers().firstValue("Location")).hasValue("/api/v1" + path);
        assertThat(api.get(path).json().at("/workflow/total").asInt()).isEqualTo(2);
        assertThat(api.get(path).json().at("/jobs/0/name").asText()).isEqualTo("a");
        assertThat(text(client.get("/workflows"))).contains("two");
        assertThat(api.post("/workflows", "{\"jobs\": []}").status()).isEqualTo(422);
    }

    @Test
    void openWorkflow_isClosedOrCancelledOnce() {
        String open = String.valueOf(database.value("SELECT howdah.add_workflow('[]', open => true)"));
        String path = "/workflows/" + open;
        assertThat(text(client.get(path))).contains(path + "/close");
        assertThat(client.submit(path, path + "/close", "").body()).contains("Close workflow " + open + "?");
        client.submit(path, path + "/close", "confirmed=yes");
        assertThat(text(client.get(path))).doesNotContain(path + "/close");
        assertThat(api.post(path + "/close", null).text("changed")).isEqualTo("false");
        assertThat(api.post("/workflows/99999/close", null).text("detail"))
                .isEqualTo("there is no workflow 99999, or it has been removed");
        String other = String.valueOf(database.value("SELECT howdah.add_workflow('[]', open => true)"));
        assertThat(api.post("/workflows/" + other + "/cancel", null).response().body())
                .isEqualTo("{\"changed\":true,\"jobs\":0}");
        assertThat(api.post("/workflows/" + other + "/cancel", null).text("changed"))
                .isEqualTo("false");
    }

    @Test
    void workflow_ofManyJobs_isShownInPart() {
        String id = workflow(IntStream.rangeClosed(1, 502)
                .mapToObj(n -> "{\"name\": \"part " + n + "\", \"kind\": \"count\"}")
                .collect(Collectors.joining(",", "[", "]")));
        assertThat(text(client.get("/workflows/" + id)))
                .contains("0 of 502 jobs have ended", "part 500<", "And 2 more, which the HTTP API lists.")
                .doesNotContain("part 501<", "<svg");
        assertThat(api.get("/workflows/" + id).json().path("jobs")).hasSize(502);
    }

    @Test
    void api_listsFindsAndCancels() {
        String first = workflow("[{\"name\": \"a\", \"kind\": \"k\"}]");
        String second = workflow("[{\"name\": \"b\", \"kind\": \"k\"}]");
        JsonNode page = api.get("/workflows?limit=1&unfinished=true").json();
        assertThat(page.at("/items/0/id").asText()).isEqualTo(second);
        assertThat(api.get("/workflows?limit=1&after=" + page.path("next").asText())
                        .json()
                        .at("/items/0/id")
                        .asText())
                .isEqualTo(first);
        assertThat(api.get("/workflows/" + first).json().at("/jobs/0/name").asText())
                .isEqualTo("a");
        assertThat(api.post("/workflows/" + first + "/cancel", null)
                        .json()
                        .path("jobs")
                        .asInt())
                .isEqualTo(1);
        assertThat(api.post("/workflows/" + first + "/cancel", null).text("changed"))
                .isEqualTo("false");
        assertThat(api.get("/workflows/99999").status()).isEqualTo(404);
        assertThat(api.post("/workflows/x/cancel", null).status()).isEqualTo(404);
        assertThat(api.post("/workflows/99999/cancel", null).status()).isEqualTo(404);
        assertThat(api.get("/workflows?unfinished=maybe").status()).isEqualTo(422);
    }

    @Test
    void pipelines_areListedWithoutSecretsAndRemoved() {
        for (String each : new String[] {"order", "bill"})
            database.execute("SELECT howdah.put_pipeline('" + each + "', '[{\"name\": \"charge\", \"kind\": \"<b>k\","
                    + " \"payload\": {\"password\": \"hunter22\"}}]')");
        assertThat(text(client.get("/workflows")))
                .contains("data-row=\"bill\"", "data-row=\"order\"", "&lt;b&gt;k")
                .doesNotContain("hunter22");
        JsonNode items = api.get("/pipelines").json().path("items");
        assertThat(items.findValuesAsText("name")).contains("bill", "order");
        assertThat(items.at("/0/stages/0/name").asText()).isEqualTo("charge");
        assertThat(items.toString()).doesNotContain("hunter22");
        assertThat(client.post("/pipelines/order/remove", "").body()).contains("Remove pipeline order?");
        assertThat(client.submit("/workflows", "/pipelines/order/remove", "confirmed=yes")
                        .headers()
                        .firstValue("Location"))
                .hasValue("/workflows");
        assertThat(database.value("SELECT before ->> 'stages' FROM howdah.audit WHERE action = 'pipelines.remove'"
                        + " AND object = 'pipelines/order' AND begun IS NULL"))
                .contains("charge")
                .doesNotContain("hunter22");
        assertThat(text(client.get("/workflows"))).doesNotContain("data-row=\"order\"");
        assertThat(api.post("/pipelines/bill/remove", null)
                        .json()
                        .path("changed")
                        .asBoolean())
                .isTrue();
        assertThat(api.post("/pipelines/bill/remove", null).status()).isEqualTo(404);
        assertThat(api.get("/pipelines").json().path("items")).isEmpty();
    }
}
