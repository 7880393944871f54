package dev.howdah.console;

import static dev.howdah.console.ConsoleFixtures.text;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.fixtures.TestDatabase;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is counted of jobs that have ended: on the page of settings, and by the API. */
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
}
