package dev.howdah.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.Agent;
import dev.howdah.console.Console;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.operations.store.TokenStore;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.StreamSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** A session of an agent, with its messages as they are sent. */
@PostgresTest
class McpProtocolTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final TestDatabase database;
    private final DataSource source;
    private final TokenStore tokens;

    McpProtocolTest(TestDatabase database) {
        this.database = database;
        PGSimpleDataSource sessions = new PGSimpleDataSource();
        sessions.setUrl("jdbc:" + database.uri().replace("postgres@", ""));
        sessions.setUser("postgres");
        this.source = database.dataSource(sessions);
        this.tokens = new TokenStore(source, "howdah");
    }

    @BeforeEach
    void install() throws SQLException {
        try (Connection connection = database.connect()) {
            Jobs.install(connection);
        }
        // The invoices of last night: three that the bank has refused, two without a template.
        database.execute(
                "SELECT howdah.add('invoices', 'invoice', json_build_object('number', n, 'password', 'hunter2'))"
                        + " FROM generate_series(1, 5) n");
        database.execute("WITH gone AS (DELETE FROM howdah_internal.job j RETURNING j.*)"
                + " INSERT INTO howdah_internal.failed (id, lane, state, kind, priority, attempt, deaths, run_at, error,"
                + " payload, more) SELECT g.id, g.lane, 'failed', g.kind, g.priority, 1, 0, g.run_at,"
                + " CASE WHEN g.id <= 3 THEN 'com.shop.BankRefused: limit of account ' || 4700 + g.id || ' reached'"
                + " ELSE 'com.shop.NoTemplate: invoice-de' END, g.payload, g.more FROM gone g");
    }

    /** A client that sends one message after another. */
    private static final class Client {
        private final UnaryOperator<@Nullable String> wire;
        private int number;

        Client(UnaryOperator<@Nullable String> wire) {
            this.wire = wire;
        }

        JsonNode ask(String method, String params) throws Exception {
            String answer = wire.apply("{\"jsonrpc\":\"2.0\",\"id\":" + ++number + ",\"method\":\"" + method
                    + "\",\"params\":" + params + "}");
            JsonNode json = JSON.readTree(answer);
            assertThat(json.path("id").asInt()).as(answer).isEqualTo(number);
            return json;
        }

        /** The text of the answer of a tool as JSON. */
        JsonNode call(String tool, String arguments) throws Exception {
            JsonNode result = ask("tools/call", "{\"name\":\"" + tool + "\",\"arguments\":" + arguments + "}")
                    .path("result");
            String text = result.path("content").path(0).path("text").asText();
            assertThat(result.path("isError").asBoolean()).as(text).isFalse();
            return JSON.readTree(text);
        }

        String refusal(String tool, String arguments) throws Exception {
            JsonNode answer = ask("tools/call", "{\"name\":\"" + tool + "\",\"arguments\":" + arguments + "}");
            JsonNode result = answer.path("result");
            assertThat(result.path("isError").asBoolean()).as(answer.toString()).isTrue();
            return result.path("content").path(0).path("text").asText();
        }

        List<String> tools() throws Exception {
            List<String> names = new ArrayList<>();
            StreamSupport.stream(
                            ask("tools/list", "{}").path("result").path("tools").spliterator(), false)
                    .map(each -> each.path("name").asText())
                    .forEach(names::add);
            return names;
        }
    }

    private Client client(Agent agent) {
        return new Client(agent::answer);
    }

    private long waiting() {
        return Long.parseLong(String.valueOf(database.value("SELECT count(*) FROM howdah_internal.job")));
    }

    @Test
    void agent_findsOutWhyInvoicesFailed_andRetriesThoseOfTheBank() throws Exception {
        String token = tokens.add("bob", "operator", null, null);
        try (Agent agent = Console.on(source).agent(token)) {
            Client client = client(agent);
            JsonNode hello = client.ask(
                            "initialize",
                            "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"test\",\"version\":\"1\"}}")
                    .path("result");
            assertThat(hello.path("serverInfo").path("name").asText()).isEqualTo("howdah");
            assertThat(agent.answer("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"))
                    .isNull();
            JsonNode errors =
                    client.call("listErrors", "{\"queue\":\"invoices\"}").path("items");
            assertThat(errors).hasSize(2);
            String pattern = errors.path(0).path("pattern").asText();
            assertThat(pattern).startsWith("com.shop.BankRefused");
            assertThat(errors.path(0).path("jobs").asInt()).isEqualTo(3);
            String example = errors.path(0).path("example").asText();
            JsonNode job = client.call("getJob", "{\"id\":\"" + example + "\"}");
            assertThat(job.path("payload").path("password").asText()).isEqualTo("***");
            ObjectNode arguments =
                    JSON.createObjectNode().put("pattern", pattern).put("queue", "invoices");
            JsonNode question = client.call("retryErrors", arguments.toString());
            assertThat(question.path("done").asBoolean(true)).isFalse();
            assertThat(question.path("question").asText())
                    .startsWith("Retry all 3 failed jobs with the error " + pattern.substring(0, 20))
                    .endsWith(" of queue invoices?");
            assertThat(question.path("count").asInt()).isEqualTo(3);
            assertThat(waiting()).isZero();
            client.call(
                    "retryErrors",
                    arguments
                            .put("confirmed", true)
                            .put("reason", "the bank is back")
                            .toString());
            await().atMost(Patience.LIMIT).until(() -> waiting() == 3);
            assertThat(database.value("SELECT string_agg(DISTINCT actor || ' ' || action, ',') FROM howdah.audit"
                            + " WHERE action = 'jobs.change'"))
                    .isEqualTo("token:bob jobs.change");
            tokens.revoke("bob");
            await().atMost(Patience.LIMIT)
                    .untilAsserted(() ->
                            assertThatThrownBy(() -> client.tools()).hasMessageContaining("not accepted any more"));
        }
    }

    /** As on pages: above a thousand a person types the number, which is that of now. */
    @Test
    void change_ofThousands_asksForTheirNumber() throws Exception {
        database.execute("INSERT INTO howdah_internal.failed (id, lane, state, kind, priority, attempt, deaths, run_at,"
                + " error, payload) SELECT 1000 + n, f.lane, 'failed', f.kind, 0, 1, 0, f.run_at, f.error, f.payload"
                + " FROM howdah_internal.failed f, generate_series(1, 1200) n WHERE f.id = 1");
        String change = "{\"action\":\"retry\",\"state\":\"failed\",\"queue\":\"invoices\"";
        try (Agent agent = Console.on(source).agent(tokens.add("bob", "operator", null, null))) {
            Client client = client(agent);
            for (String each : List.of("", ",\"confirmed\":true", ",\"confirmed\":true,\"number\":\"1204\"")) {
                JsonNode question = client.call("changeAllJobs", change + each + "}");
                assertThat(question.path("done").asBoolean(true)).isFalse();
                assertThat(question.path("question").asText())
                        .isEqualTo("Retry all 1,205 failed jobs of queue invoices?");
                assertThat(question.path("next").asText()).contains("number", "1205");
            }
            assertThat(waiting()).isZero();
            assertThat(client.call("changeAllJobs", change + ",\"confirmed\":true,\"number\":\"1205\"}")
                            .path("id")
                            .asText())
                    .isNotEmpty();
            await().atMost(Patience.LIMIT).until(() -> waiting() == 1205);
            assertThat(client.refusal("changeAllJobs", "{\"action\":\"retry\",\"state\":\"gone\"}"))
                    .contains("gone");
        }
    }

    @Test
    void agent_withoutAToken_readsOnly() throws Exception {
        try (Agent agent = Console.on(source).agent(null)) {
            Client client = client(agent);
            assertThat(client.tools())
                    .contains("listJobs", "listErrors", "getOverview")
                    .doesNotContain("retryErrors", "cancelJob");
            assertThat(client.refusal("retryErrors", "{\"pattern\":\"x\",\"confirmed\":true}"))
                    .contains("needs the role operator");
            assertThat(client.refusal("listJobs", "{\"colour\":\"red\"}")).contains("colour");
            assertThat(client.refusal("getJob", "{}")).contains("id");
            JsonNode resource = client.ask("resources/read", "{\"uri\":\"howdah://jobs/1\"}")
                    .path("result")
                    .path("contents")
                    .path(0);
            assertThat(JSON.readTree(resource.path("text").asText())
                            .path("queue")
                            .asText())
                    .isEqualTo("invoices");
            assertThat(client.ask("resources/list", "{}").toString()).contains("howdah://queues");
            assertThat(client.ask("resources/templates/list", "{}").toString()).contains("howdah://jobs/{id}");
            for (String refused : List.of("jobs/%00", "jobs/none", "jobs/99999", "jobs/%zz", "tokens"))
                assertThat(client.ask("resources/read", "{\"uri\":\"howdah://" + refused + "\"}")
                                .path("error")
                                .path("code")
                                .asInt())
                        .as(refused)
                        .isIn(-32602, -32002);
            assertThat(agent.answer("{")).contains("-32700");
            assertThat(agent.answer("[1]")).contains("-32600");
            assertThat(client.ask("no/such", "{}").path("error").path("code").asInt())
                    .isNegative();
        }
        assertThatThrownBy(() -> Console.on(source).agent("hd_1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("not accepted");
    }

    @Test
    void resource_whileTheDatabaseIsAway_isAFailureOfTheServer() throws Exception {
        PGSimpleDataSource away = new PGSimpleDataSource();
        away.setUrl("jdbc:" + database.uri().replace("postgres@", ""));
        away.setUser("postgres");
        try (Agent agent = Console.on(away).agent(null)) {
            Client client = client(agent);
            int[] port = away.getPortNumbers();
            away.setPortNumbers(new int[] {1});
            JsonNode error = client.ask("resources/read", "{\"uri\":\"howdah://jobs/1\"}")
                    .path("error");
            assertThat(error.path("code").asInt()).isEqualTo(-32603);
            assertThat(error.path("message").asText()).isEqualTo("there is no connection to the database");
            assertThat(client.refusal("getJob", "{\"id\":\"1\"}")).isEqualTo("there is no connection to the database");
            away.setPortNumbers(port);
            assertThat(client.ask("resources/read", "{\"uri\":\"howdah://jobs/1\"}")
                            .has("result"))
                    .isTrue();
        }
    }

    /** Each tool is a route, which says itself what it takes: none may be one that the library cannot name. */
    @Test
    void tools_haveSchemas_andSayWhatTheyDo() throws Exception {
        try (Agent agent = Console.on(source).agent(tokens.add("ann", "administrator", null, null))) {
            JsonNode tools =
                    client(agent).ask("tools/list", "{}").path("result").path("tools");
            assertThat(tools.size()).isGreaterThan(80);
            for (JsonNode each : tools) {
                assertThat(each.path("name").asText()).matches("[A-Za-z]{1,64}");
                assertThat(each.path("description").asText()).isNotBlank();
                assertThat(each.path("inputSchema").path("type").asText()).isEqualTo("object");
                assertThat(each.toString()).doesNotContain("$ref");
            }
            assertThat(client(agent).tools()).doesNotContain("addToken", "claimJobs", "listTokens");
        }
    }

    @Test
    void console_answersAgents_withTheRolesOfTheirTokens() throws Exception {
        String viewer = tokens.add("ann", "viewer", null, null);
        try (Console console = Console.on(source).port(0).login(true).start()) {
            URI address = console.address().resolve("/mcp");
            Client client = new Client(message ->
                    send(address, viewer, null, String.valueOf(message)).body());
            assertThat(client.tools()).contains("listJobs").doesNotContain("cancelJob");
            assertThat(client.call("listErrors", "{}").path("items")).hasSize(2);
            assertThat(send(address, viewer, null, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}")
                            .statusCode())
                    .isEqualTo(202);
            String ping = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
            assertThat(send(address, "hd_0", null, ping).statusCode()).isEqualTo(401);
            assertThat(send(address, viewer, "https://evil.example.com", ping).statusCode())
                    .isEqualTo(403);
            assertThat(send(address, tokens.add("w", "worker", null, null), null, ping)
                            .statusCode())
                    .isEqualTo(403);
            HttpResponse<String> get = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(address)
                                    .header("Authorization", "Bearer " + viewer)
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            assertThat(get.statusCode()).isEqualTo(405);
        }
    }

    private static HttpResponse<String> send(URI address, String token, @Nullable String origin, String message) {
        HttpRequest.Builder request = HttpRequest.newBuilder(address)
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json")
                .header("Accept", "application/json, text/event-stream")
                .POST(HttpRequest.BodyPublishers.ofString(message));
        if (origin != null) request.header("Origin", origin);
        try {
            return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (java.io.IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
