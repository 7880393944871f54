package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.fixtures.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What one request of a worker says of several jobs, and what its claim tells. */
class ApiWorkerBatchTest extends ApiTestBase {
    private static final String CLAIM = "{\"kinds\": [\"mail\"], \"lease\": 30, \"max\": 10, \"wait\": 20}";

    ApiWorkerBatchTest(TestDatabase database) {
        super(database);
    }

    private String add(String more) {
        return api.post("/jobs", "{\"kind\": \"mail\", \"payload\": 1" + more + "}")
                .text("id");
    }

    private List<String> tokensOf(int jobs) {
        List<String> tokens = new ArrayList<>();
        for (int i = 0; i < jobs; i++) add("");
        while (tokens.size() < jobs)
            for (JsonNode each : claims(CLAIM)) tokens.add(each.path("token").asText());
        return tokens;
    }

    private JsonNode claims(String body) {
        return api.post("/workers/claim", body).json().path("claims");
    }

    private ApiClient.Answer batch(String path, List<String> jobs) {
        return api.post("/workers/" + path + "/batch", "{\"jobs\": [" + String.join(", ", jobs) + "]}");
    }

    private String state(JsonNode job) {
        return api.get("/jobs/" + job.path("id").asText()).text("state");
    }

    private static String end(String token, String words) {
        return "{\"token\": \"" + token + "\", " + words + "}";
    }

    @Test
    void jobs_endedTogether_haveEachItsOutcome() {
        List<String> tokens = tokensOf(5);
        List<String> ends = List.of(
                end(tokens.get(0), "\"outcome\": \"complete\", \"result\": {\"n\": 1}"),
                end(tokens.get(1), "\"outcome\": \"fail\", \"error\": \"no\", \"retry\": false"),
                end(tokens.get(2), "\"outcome\": \"snooze\", \"delay\": \"PT1H\""),
                end(tokens.get(3), "\"outcome\": \"cancel\", \"error\": \"the customer has gone\""),
                end(tokens.get(4), "\"outcome\": \"complete\", \"next\": {\"kind\": \"print\"}"),
                end("unknown", "\"outcome\": \"release\""));
        JsonNode jobs = batch("end", ends).json().path("jobs");
        assertThat(jobs).hasSize(6);
        assertThat(List.of(state(jobs.get(0)), state(jobs.get(1)), state(jobs.get(2)), state(jobs.get(3))))
                .containsExactly("done", "failed", "planned", "cancelled");
        JsonNode cancelled = api.get("/jobs/" + jobs.get(3).path("id").asText()).json();
        assertThat(cancelled.path("error").asText()).isEqualTo("the customer has gone");
        assertThat(api.get("/jobs/" + jobs.get(4).path("id").asText()).text("kind"))
                .isEqualTo("print");
        assertThat(jobs.get(5).path("token").asText()).isEqualTo("unknown");
        assertThat(jobs.get(5).at("/problem/status").asInt()).isEqualTo(410);
        assertThat(jobs.get(5).at("/problem/type").asText()).isEqualTo("urn:howdah:problem:claim-lost");
        // The same again, as after a lost answer; then other words.
        assertThat(batch("end", ends).json().path("jobs")).isEqualTo(jobs);
        JsonNode other = batch("end", List.of(end(tokens.get(0), "\"outcome\": \"release\"")))
                .json()
                .path("jobs");
        assertThat(other.at("/0/problem/status").asInt()).isEqualTo(409);
    }

    @Test
    void results_ofJobsThatEndTogether_areWrittenTogether() {
        List<String> tokens = tokensOf(40);
        List<String> ends = IntStream.range(0, 40)
                .mapToObj(n -> end(tokens.get(n), "\"outcome\": \"complete\", \"result\": " + "{\"n\": " + n + "}"))
                .toList();
        JsonNode jobs = batch("end", ends).json().path("jobs");
        for (int n = 0; n < 40; n++) {
            JsonNode job = api.get("/jobs/" + jobs.get(n).path("id").asText()).json();
            assertThat(job.path("state").asText()).isEqualTo("done");
            assertThat(job.path("result").path("n").asInt()).isEqualTo(n);
        }
        // Each statement is a transaction.
        assertThat(database.value(
                        "SELECT count(DISTINCT xmin::text) < 20 FROM howdah_internal.batch WHERE ended IS NOT NULL"))
                .isEqualTo("t");
    }

    @Test
    void requestWithOneEndThatCannotBe_changesNothing() {
        List<String> tokens = tokensOf(2);
        String good = end(tokens.get(0), "\"outcome\": \"complete\"");
        for (String bad : List.of(
                "\"outcome\": \"finish\"",
                "\"outcome\": \"fail\"",
                "\"outcome\": \"snooze\"",
                "\"outcome\": \"snooze\", \"delay\": \"PT-1S\"",
                "\"outcome\": \"complete\", \"result\": 1, \"next\": {\"kind\": \"print\"}")) {
            ApiClient.Answer answer = batch("end", List.of(good, end(tokens.get(1), bad)));
            assertThat(answer.status()).as(bad).isEqualTo(422);
            assertThat(answer.json().at("/errors/0/pointer").asText()).as(bad).isEqualTo("/jobs/1");
        }
        assertThat(api.post("/workers/end/batch", "{\"jobs\": []}").status()).isEqualTo(422);
        assertThat(api.get("/jobs?state=running").json().path("items")).hasSize(2);
        JsonNode jobs = batch(
                        "heartbeat",
                        List.of(end(tokens.get(0), "\"progress\": 0.5"), end(tokens.get(1), "\"progress\": 2")))
                .json();
        assertThat(jobs.at("/errors/0/pointer").asText()).isEqualTo("/jobs/1");
    }

    @Test
    void heartbeatOfMany_tellsOfEach_whyItShallStop() {
        add(", \"timeout\": \"PT1S\"");
        add("");
        add("");
        List<JsonNode> all = new ArrayList<>();
        while (all.size() < 3) claims(CLAIM).forEach(all::add);
        all.sort((a, b) -> Long.compare(a.path("id").asLong(), b.path("id").asLong()));
        assertThat(all.get(0).path("timeout").asText()).isEqualTo("PT1S");
        assertThat(all.get(1).has("timeout")).isFalse();
        assertThat(api.post("/jobs/" + all.get(1).path("id").asText() + "/cancel", "{}")
                        .status())
                .isEqualTo(200);
        List<String> beats = all.stream()
                .map(each -> "{\"token\": \"" + each.path("token").asText() + "\"}")
                .collect(Collectors.toCollection(ArrayList::new));
        beats.add("{\"token\": \"unknown\"}");
        await().untilAsserted(() -> {
            JsonNode jobs = batch("heartbeat", beats).json().path("jobs");
            assertThat(jobs.at("/0/stop").asText()).isEqualTo("timeout");
            assertThat(jobs.at("/1/stop").asText()).isEqualTo("cancelled");
            assertThat(jobs.at("/1/cancel").asBoolean()).isTrue();
            assertThat(jobs.at("/2/cancel").asBoolean(true)).isFalse();
            assertThat(jobs.at("/2/stop").isMissingNode()).isTrue();
            assertThat(jobs.at("/2/lease").asInt()).isEqualTo(30);
            assertThat(jobs.at("/3/problem/status").asInt()).isEqualTo(410);
        });
    }

    @Test
    void claimWithoutWait_isAnsweredOnceTheQueuesHaveBeenLookedAt() {
        String body = CLAIM.replace("\"wait\": 20", "\"wait\": 0");
        assertThat(claims(body)).isEmpty();
        add("");
        assertThat(claims(body)).hasSize(1);
        assertThat(claims(body)).isEmpty();
    }

    @Test
    void requestThatIsWithdrawn_getsNoJob_andItsJobsGoBackWithoutAnAttempt() {
        CompletableFuture<ApiClient.Answer> waiting = api.postLater("/workers/claim", CLAIM, "Idempotency-Key", "k1");
        await().until(() -> api.post("/workers/withdraw", "{\"key\": \"k1\"}")
                .json()
                .path("withdrawn")
                .asBoolean());
        assertThat(waiting.join().json().path("claims")).isEmpty();
        assertThat(api.post("/workers/withdraw", "{\"key\": \"k1\"}")
                        .json()
                        .path("withdrawn")
                        .asBoolean(true))
                .isFalse();

        add("");
        JsonNode claimed = api.post("/workers/claim", CLAIM, "Idempotency-Key", "k1")
                .json()
                .at("/claims/0");
        assertThat(claimed.path("attempt").asInt()).isEqualTo(1);
        assertThat(api.post("/workers/withdraw", "{\"key\": \"k1\"}")
                        .json()
                        .path("withdrawn")
                        .asBoolean())
                .isTrue();
        assertThat(batch(
                                "heartbeat",
                                List.of("{\"token\": \"" + claimed.path("token").asText() + "\"}"))
                        .json()
                        .at("/jobs/0/problem/status")
                        .asInt())
                .isEqualTo(410);
        JsonNode again = api.post("/workers/claim", CLAIM, "Idempotency-Key", "k2")
                .json()
                .at("/claims/0");
        assertThat(again.path("id")).isEqualTo(claimed.path("id"));
        assertThat(again.path("attempt").asInt()).isEqualTo(1);
    }

    @Test
    void claim_hasTheTraceAndTheResultsOfThoseThatItsJobWaitedFor() {
        database.execute(
                "SELECT set_config('howdah.traceparent', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', true);"
                        + " SELECT howdah.add_workflow('[{\"name\": \"charge\", \"kind\": \"mail\", \"payload\": 1},"
                        + " {\"name\": \"tell\", \"kind\": \"mail\", \"payload\": 2, \"after\": [\"charge\"]}]', name => 'order')");
        JsonNode charge = claims(CLAIM).get(0);
        assertThat(charge.has("predecessors")).isFalse();
        assertThat(charge.path("created").asText()).isNotEmpty();
        assertThat(charge.at("/trace/traceparent").asText()).startsWith("00-0af7651916cd43dd8448eb211c80319c-");
        batch(
                "end",
                List.of(end(
                        charge.path("token").asText(),
                        "\"outcome\": \"complete\", \"result\": {\"cents\": 12345678901234567890}")));
        JsonNode tell = claims(CLAIM).get(0);
        assertThat(tell.at("/predecessors/charge/state").asText()).isEqualTo("done");
        assertThat(tell.at("/predecessors/charge/result").toString()).isEqualTo("{\"cents\":12345678901234567890}");
    }
}
