package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.TestDatabase;
import dev.howdah.operations.store.TokenStore;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A producer learns what became of its jobs, and adds all that SQL can add. */
class ApiJobWaitTest extends ApiTestBase {
    private final TokenStore tokens;

    ApiJobWaitTest(TestDatabase database) {
        super(database);
        this.tokens = new TokenStore(ConsoleFixtures.source(database), "howdah");
    }

    @Override
    ConsoleBuilder console() {
        return super.console().login(true);
    }

    @Override
    ApiClient client() {
        return producer();
    }

    private ApiClient producer() {
        return new ApiClient(
                console.address(),
                "Bearer " + tokens.add("reader", "viewer", null, null),
                "Bearer " + tokens.add("shop", "producer", null, null, "mail"));
    }

    private String add(String more) {
        ApiClient.Answer added = api.post("/jobs", "{\"kind\": \"k\", \"queue\": \"mail\"" + more + "}");
        assertThat(added.status()).as(added.json().toString()).isEqualTo(201);
        return added.text("id");
    }

    @Test
    void wait_isAnsweredWhenTheJobEnds_orAsItIsThen() {
        String id = add(", \"payload\": {\"next_page_token\": \"abc\"}");
        assertThat(api.get("/jobs/" + id + "?wait=1").text("state")).isEqualTo("waiting");
        CompletableFuture<ApiClient.Answer> end =
                CompletableFuture.supplyAsync(() -> api.get("/jobs/" + id + "?wait=25"));
        database.execute("SELECT howdah.cancel(" + id + ")");
        ApiClient.Answer ended = end.join();
        assertThat(ended.text("state")).isEqualTo("cancelled");
        // What it goes on with is not masked for it.
        assertThat(ended.json().path("payload").path("next_page_token").asText())
                .isEqualTo("abc");
        assertThat(api.get("/jobs/" + id + "?wait=25").text("state")).isEqualTo("cancelled");
        assertThat(api.get("/jobs/" + id + "?wait=26").status()).isEqualTo(422);
    }

    @Test
    void jobs_areAddedWithAllThatSqlCanSay() {
        String first = add(", \"unique\": {\"by\": \"payload\"}, \"payload\": {\"day\": 1}");
        assertThat(add(", \"unique\": {\"by\": \"payload\"}, \"payload\": {\"day\": 1}, \"tags\": [\"t\"]"))
                .isEqualTo(first);
        assertThat(api.post("/jobs", "{\"kind\": \"k\", \"queue\": \"mail\", \"unique\": {\"by\": \"colour\"}}")
                        .status())
                .isEqualTo(422);
        String old = add(", \"key\": \"doc\", \"version\": \"2026-01-02T00:00:00Z\"");
        assertThat(api.post(
                                "/jobs",
                                "{\"kind\": \"k\", \"queue\": \"mail\", \"key\": \"doc\", \"version\": \"2026-01-01T00:00:00Z\"}")
                        .json()
                        .path("added")
                        .asBoolean())
                .isFalse();
        assertThat(add(", \"key\": \"doc\", \"version\": \"2026-01-03T00:00:00Z\", \"payload\": 3"))
                .isEqualTo(old);
        String heavy = add(", \"weight\": 7, \"group\": \"g\"");
        assertThat(database.value("SELECT more ->> 'weight' FROM howdah_internal.job WHERE id = " + heavy))
                .isEqualTo("7");
        add(", \"order_key\": \"customer 1\"");
        String second = add(", \"order_key\": \"customer 1\"");
        assertThat(api.get("/jobs/" + second).text("state")).isEqualTo("following");
        assertThat(api.post(
                                "/jobs",
                                "{\"kind\": \"k\", \"queue\": \"mail\", \"order_key\": \"c\", \"delay\": \"PT1S\"}")
                        .text("detail"))
                .contains("a job with an order_key has no delay");
        ApiClient.Answer many = api.post(
                "/jobs/batch",
                "{\"jobs\": [{\"kind\": \"k\", \"queue\": \"mail\", \"order_key\": \"customer 1\"},"
                        + " {\"kind\": \"k\", \"queue\": \"mail\", \"payload\": {\"day\": 1}, \"unique\": {\"by\": \"payload\"}}]}");
        assertThat(many.json().path("jobs").path(0).path("added").asBoolean()).isTrue();
        assertThat(many.json().path("jobs").path(1).path("id").asText()).isEqualTo(first);
        ApiClient.Answer workflow = api.post(
                "/workflows",
                "{\"name\": \"w\", \"jobs\": [{\"name\": \"a\", \"queue\": \"mail\", \"kind\": \"k\"},"
                        + " {\"name\": \"b\", \"queue\": \"mail\", \"kind\": \"k\", \"after\": [\"a\"]}]}");
        assertThat(workflow.status()).as(workflow.json().toString()).isEqualTo(201);
    }
}
