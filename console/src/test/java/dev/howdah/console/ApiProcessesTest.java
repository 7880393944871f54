package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.process.Action;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.ProcessState;
import dev.howdah.process.ProcessTask;
import dev.howdah.process.Processes;
import dev.howdah.process.StepFailedException;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ApiProcessesTest extends ApiTestBase {
    private static final String HOSTILE = "a/b ../<c>?%d";
    private static final String HOSTILE_PATH = "a%2Fb%20..%2F%3Cc%3E%3F%25d";

    private Processes node;

    ApiProcessesTest(TestDatabase database) {
        super(database);
        node = node();
    }

    private Processes node() {
        return Processes.on(ConsoleFixtures.source(database))
                .namespace(Namespace.of("order", ApiProcessesTest::step))
                .start();
    }

    @Override
    void install() {
        // The node has created the tables.
    }

    @AfterEach
    void stopNode() {
        node.close();
    }

    private static Intent step(ProcessTask task, ProcessState process) {
        String args = task.args().text();
        if (args.contains("fail")) throw new StepFailedException("out of stock, password=hidden");
        Intent intent = Intent.none().event(args).response(task.type().text() + " " + (process.lastEventId() + 1));
        return args.contains("later") ? intent.then(Action.timeout(Duration.ofHours(1))) : intent;
    }

    private ApiClient.Answer start(String id, String args) {
        return api.post("/processes/order", "{\"id\": \"" + id + "\", \"args\": " + args + "}");
    }

    /** As in Java, at endpoints and on the command line, but in the spelling of the API. */
    @Test
    void fields_ofAProcess_haveTheNamesThatTheyHaveElsewhere() {
        JsonNode fields = ApiClient.read(
                        api.raw("GET", "/api/v1/openapi.json", null).body())
                .at("/components/schemas/Process/properties");
        assertThat(fields.size()).isGreaterThan(10);
        for (RecordComponent each : ProcessState.class.getRecordComponents()) {
            String name = each.getName().replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
            // Lists have it as the last event; the range of a history is that of a question.
            if (!name.equals("last_event_id") && !name.equals("range"))
                assertThat(fields.has(name)).as(name).isTrue();
        }
    }

    @Test
    void process_startedAndCalled_answersAndIsFoundWithItsHistory() {
        ApiClient.Answer started = start(HOSTILE, "{\"token\": \"hidden\", \"n\": 1.10}");
        assertThat(started.status()).as(started.response().body()).isEqualTo(201);
        assertThat(started.text("response")).isEqualTo("init 1");
        String path = "/processes/order/" + HOSTILE_PATH;
        assertThat(started.response().headers().firstValue("Location")).hasValue("/api/v1" + path);
        assertThat(start(HOSTILE, "1").status()).isEqualTo(409);
        assertThat(api.post(path + "/call", "{\"args\": \"two\", \"wait\": 20}").text("response"))
                .isEqualTo("call 2");
        assertThat(api.post(path + "/notify", "{\"args\": \"three\"}").status()).isEqualTo(200);
        await().until(() -> api.get(path).text("last_event").equals("3"));
        JsonNode found = api.get(path + "?limit=2").json();
        assertThat(found.path("id").asText()).isEqualTo(HOSTILE);
        assertThat(found.at("/history/0/id").asText()).isEqualTo("3");
        JsonNode earlier =
                api.get(path + "?limit=2&after=" + found.path("next").asText()).json();
        assertThat(earlier.at("/history/0/payload").toString())
                .contains("***", "1.10")
                .doesNotContain("hidden");
        assertThat(earlier.has("next")).isFalse();
        JsonNode trace = api.get(path + "/trace").json();
        assertThat(trace.at("/items/1/type").asText()).isEqualTo("call");
        assertThat(trace.toString()).doesNotContain("hidden");
        assertThat(api.get(path + "/why").json().at("/causes/0/sentence").asText())
                .isNotEmpty();
        assertThat(api.post(path + "/remove", null).status()).isEqualTo(200);
        assertThat(api.get(path).status()).isEqualTo(404);
    }

    @Test
    void processes_onPages_comeOnceEachByFilter() {
        for (int i = 1; i <= 5; i++) node.init("order", "order-" + i, "chairs");
        node.init("order", "refund", "later");
        JsonNode first =
                api.get("/processes/order?prefix=order-&status=running&limit=3").json();
        JsonNode second = api.get("/processes/order?prefix=order-&status=running&limit=3&after="
                        + first.path("next").asText())
                .json();
        assertThat(first.at("/items/2/id").asText()
                        + second.at("/items/0/id").asText()
                        + second.path("items").size())
                .isEqualTo("order-3order-42");
        assertThat(second.has("next")).isFalse();
        JsonNode namespace = api.get("/namespaces").json().at("/items/0");
        assertThat(namespace.path("name").asText() + namespace.at("/broken/value") + namespace.at("/broken/exact"))
                .isEqualTo("order0true");
        for (String query : new String[] {"status=sleeping", "limit=0", "colour=red"})
            assertThat(api.get("/processes/order?" + query).status()).as(query).isEqualTo(422);
        assertThat(api.get("/processes/none").status()).isEqualTo(404);
        assertThat(api.get("/processes/order/refund?after=x").status()).isEqualTo(422);
    }

    @Test
    void nodes_ofADatabaseWithoutJobs_areListed() {
        JsonNode nodes = api.get("/nodes").json().path("items");
        assertThat(nodes).hasSize(1);
        assertThat(api.get("/nodes/" + nodes.at("/0/id").asText())
                        .json()
                        .path("alive")
                        .asBoolean())
                .isTrue();
        ConsoleClient browser = new ConsoleClient(console.address());
        assertThat(browser.get("/nodes").body()).contains("process</td>", "alive");
        assertThat(browser.get("/processes").body()).contains("<a href=\"/nodes\">1</a>");
        node.close();
        assertThat(browser.get("/processes").body()).contains("no living node works on it");
        assertThat(api.get("/nodes").json().path("items")).isEmpty();
    }

    @Test
    void refusals_ofProcesses_areProblems() {
        node.init("order", "o", "chairs");
        node.init("order", "p", "chairs");
        ApiClient.Answer failed = api.post("/processes/order/o/call", "{\"args\": \"fail\"}");
        assertThat(failed.status()).isEqualTo(422);
        assertThat(failed.text("type")).endsWith("step-failed");
        assertThat(failed.text("detail")).contains("out of stock").doesNotContain("hidden");
        for (String verb : new String[] {"call", "notify", "repair", "simple-repair", "remove"}) {
            assertThat(api.post("/processes/order/none/" + verb, null).status())
                    .as(verb)
                    .isEqualTo(404);
            assertThat(api.post("/processes/none/o/" + verb, null).status())
                    .as(verb)
                    .isEqualTo(404);
        }
        assertThat(start("", "1").status()).isEqualTo(422);
        assertThat(api.post("/processes/order/o/call", "{\"wait\": 26}").status())
                .isEqualTo(422);
        // The outcome of a call that waits in another thread is written down, too.
        assertThat(database.value("SELECT string_agg(outcome, ',' ORDER BY id) FROM howdah.audit"
                        + " WHERE action = 'processes.call' AND object = 'processes/order/o'"))
                .isEqualTo("begun,failed,begun,failed");
        node.close();
        ApiClient.Answer late = api.post("/processes/order/p/call", "{\"wait\": 1}");
        assertThat(late.status()).isEqualTo(504);
        assertThat(late.text("type")).endsWith("no-answer");
    }

    @Test
    void timersAndNotices_ofANamespace_areListed() {
        start("order-1", "\"later\"");
        JsonNode timer = api.get("/namespaces/order/timers").json().at("/items/0");
        assertThat(timer.path("process").asText() + timer.path("removes")).isEqualTo("order-1false");
        assertThat(api.get("/namespaces/order/notices").json().path("items")).isEmpty();
        for (String verb : new String[] {"again", "skip"})
            assertThat(api.post("/processes/order/order-1/notice-" + verb, null).status())
                    .as(verb)
                    .isEqualTo(409);
        for (String list : new String[] {"timers", "notices"})
            assertThat(api.get("/namespaces/none/" + list).status()).as(list).isEqualTo(404);
    }

    @Test
    void processes_many_areRepairedAndRemovedInTheBackground() {
        for (String each : List.of("eu-1", "eu-2", "eu-3", "us-1", "us-2")) start(each, "1");
        database.execute(
                "UPDATE howdah_internal.process SET status = 'error', previous_status = 'running', detail = 'x'"
                        + " WHERE id LIKE 'eu-%'");
        ApiClient.Answer repair =
                api.post("/processes/order/change-all", "{\"action\": \"simple-repair\", \"prefix\": \"eu-\"}");
        assertThat(repair.status()).as(repair.response().body()).isEqualTo(202);
        assertThat(repair.text("title")).contains("processes of order with ids that begin with eu-");
        assertThat(repair.json().path("expected").asInt()).isEqualTo(3);
        done(repair, 3, 0);
        assertThat(database.value("SELECT count(*) FROM howdah_internal.process WHERE status = 'error'"))
                .isEqualTo("0");
        done(api.post("/processes/order/change", "{\"action\": \"remove\", \"ids\": [\"us-1\", \"none\"]}"), 1, 1);
        assertThat(database.value("SELECT string_agg(id, ' ' ORDER BY id) FROM howdah_internal.process"))
                .isEqualTo("eu-1 eu-2 eu-3 us-2");
        ConsoleClient browser = new ConsoleClient(console.address());
        assertThat(browser.get("/processes/order").body())
                .contains("value=\"remove\"", "value=\"simple-repair\"", "name=\"all\"");
        assertThat(browser.submit("/processes/order", "/processes/order/change", "prefix=eu-&all=yes&action=remove")
                        .body())
                .contains("Remove all 3 processes of order with ids that begin with eu-?");
        String run = browser.submit(
                        "/processes/order", "/processes/order/change", "prefix=eu-&all=yes&action=remove&confirmed=yes")
                .headers()
                .firstValue("Location")
                .orElseThrow();
        await().atMost(Patience.LIMIT).until(() -> browser.get(run).body().contains("✓</span>done"));
        assertThat(database.value("SELECT string_agg(id, ' ' ORDER BY id) FROM howdah_internal.process"))
                .isEqualTo("us-2");
        assertThat(api.post("/processes/none/change-all", "{\"action\": \"remove\"}")
                        .status())
                .isEqualTo(404);
        assertThat(api.post("/processes/order/change-all", "{\"action\": \"simple-repair\", \"status\": \"init\"}")
                        .status())
                .isEqualTo(422);
    }

    private void done(ApiClient.Answer begun, int changed, int unchanged) {
        String path = "/changes/" + begun.text("id");
        await().atMost(Patience.LIMIT).until(() -> api.get(path).text("state").equals("done"));
        JsonNode change = api.get(path).json();
        assertThat(change.path("changed").asInt()).isEqualTo(changed);
        assertThat(change.path("unchanged").asInt()).isEqualTo(unchanged);
    }
}
