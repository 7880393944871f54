package dev.howdah.console;

import static dev.howdah.console.ConsoleFixtures.text;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.fixtures.TestDatabase;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is kept and counted of jobs that have ended: on the page of settings, and by the API. */
class HistoryPagesTest extends ApiTestBase {
    private ConsoleClient client;

    HistoryPagesTest(TestDatabase database) {
        super(database);
    }

    @BeforeEach
    void open() {
        client = new ConsoleClient(console.address());
        database.execute("SELECT howdah.add('mail', 'send', 'null'::json)");
    }

    private String set(String path, String form) {
        HttpResponse<String> answer = client.submit("/settings", path, form);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(303);
        assertThat(answer.headers().firstValue("Location")).hasValue("/settings");
        return text(client.get("/settings"));
    }

    private String changed(String path, String body) {
        ApiClient.Answer answer = api.post(path, body);
        assertThat(answer.status()).as(answer.json().toString()).isEqualTo(200);
        return answer.json().path("changed").asText();
    }

    private String audited(String actions) {
        return String.valueOf(database.value("SELECT string_agg(concat_ws(' ', action, object), '; ' ORDER BY id)"
                + " FROM howdah.audit WHERE begun IS NULL AND action LIKE '" + actions + "'"));
    }

    @Test
    void tags_areCountedAndNoLonger() {
        assertThat(text(client.get("/settings"))).contains("Counted tags", "None: jobs are counted");
        assertThat(set("/tags/count", "tag=customer%3A*&most=5")).contains("data-row=\"customer:*\"", ">5<");
        assertThat(set("/tags/customer%3A*/uncount", "")).contains("None: jobs are counted");
        assertThat(client.post("/tags/customer%3A*/uncount", "").statusCode()).isEqualTo(404);
        assertThat(client.post("/tags/count", "most=5").statusCode()).isEqualTo(400);
        assertThat(audited("tags.%"))
                .isEqualTo("tags.count tags/customer:*; tags.uncount tags/customer:*; tags.uncount tags/customer:*");
    }

    @Test
    void tags_ofTheApi_sayWhetherTheyWereCounted() {
        assertThat(changed("/tags/customer%3A*/count", "{\"most\": 5}")).isEqualTo("true");
        assertThat(changed("/tags/customer%3A*/count", "{\"most\": 5}")).isEqualTo("false");
        assertThat(changed("/tags/vip/count", "{}")).isEqualTo("true");
        JsonNode items = api.get("/tags").json().path("items");
        assertThat(items.findValuesAsText("tag")).containsExactly("customer:*", "vip");
        assertThat(items.findValuesAsText("most")).containsExactly("5", "100");
        assertThat(changed("/tags/vip/uncount", "{}")).isEqualTo("true");
        assertThat(api.post("/tags/vip/uncount", "{}").status()).isEqualTo(404);
        assertThat(api.post("/tags/vip/count", "{\"most\": 1001}").status()).isEqualTo(422);
    }

    @Test
    void retention_isSetAfterAQuestion_shownAndRemoved() {
        assertThat(text(client.get("/settings"))).contains("Retention of jobs", "No rules: jobs that have ended");
        assertThat(client.post("/retention/put", "outcome=done&keep=2+h&queue=mail")
                        .body())
                .contains("Keep done jobs of queue mail for that long?");
        assertThat(set("/retention/put", "outcome=done&keep=2+h&queue=mail&confirmed=yes"))
                .contains("data-row=\"done mail\"");
        assertThat(set("/retention/put", "outcome=failed&keep=0&confirmed=yes"))
                .contains("data-row=\"failed \"", "not at all", "all others");
        assertThat(set("/retention/done/remove", "queue=mail&confirmed=yes"))
                .doesNotContain("data-row=\"done mail\"")
                .contains("data-row=\"failed \"");
        assertThat(client.post("/retention/done/remove", "queue=mail&confirmed=yes")
                        .statusCode())
                .isEqualTo(404);
        assertThat(client.post("/retention/put", "outcome=running&keep=2+h").statusCode())
                .isEqualTo(400);
        assertThat(audited("retention.%"))
                .isEqualTo("retention.put retention/done; retention.put retention/failed;"
                        + " retention.remove retention/done; retention.remove retention/done");
        assertThat(database.value(
                        "SELECT before ->> 'rules' FROM howdah.audit WHERE action = 'retention.remove' LIMIT 1"))
                .contains("mail", "PT2H");
    }

    @Test
    void retention_ofTheApi_saysWhetherItWasSoBefore() {
        assertThat(changed("/retention/done/put", "{\"keep\": \"P400D\", \"queue\": \"mail\"}"))
                .isEqualTo("true");
        assertThat(changed("/retention/done/put", "{\"keep\": \"PT9600H\", \"queue\": \"mail\"}"))
                .isEqualTo("false");
        assertThat(changed("/retention/done/put", "{\"keep\": \"P1D\"}")).isEqualTo("true");
        JsonNode items = api.get("/retention").json().path("items");
        assertThat(items.findValuesAsText("keep")).containsExactly("PT24H", "PT9600H");
        assertThat(items.get(0).has("queue")).isFalse();
        assertThat(items.get(1).path("queue").asText()).isEqualTo("mail");
        assertThat(changed("/retention/done/remove", "{}")).isEqualTo("true");
        assertThat(api.post("/retention/done/remove", "{}").status()).isEqualTo(404);
        assertThat(api.post("/retention/running/put", "{\"keep\": \"P1D\"}").status())
                .isEqualTo(404);
        assertThat(api.post("/retention/done/put", "{}").status()).isEqualTo(422);
        assertThat(api.post("/retention/done/put", "{\"keep\": \"P1D\", \"archive\": \"nothing\"}")
                        .status())
                .isEqualTo(422);
        assertThat(api.get("/retention").json().path("items")).hasSize(1);
    }
}
