package dev.howdah.console;

import static dev.howdah.console.ConsoleFixtures.text;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.fixtures.TestDatabase;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Log queues and their readers: on the page of a queue, and by the API. */
class LogQueuePagesTest extends ApiTestBase {
    private static final String CLICKS = "/jobs/queues/clicks";

    private ConsoleClient client;

    LogQueuePagesTest(TestDatabase database) {
        super(database);
    }

    @BeforeEach
    void open() {
        client = new ConsoleClient(console.address());
        database.execute("SELECT howdah.add('mail', 'send', 'null'::json)");
    }

    private String set(String from, String path, String form) {
        HttpResponse<String> answer = client.submit(from, path, form + "&confirmed=yes");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(303);
        assertThat(answer.headers().firstValue("Location")).hasValue(CLICKS);
        return text(client.get(CLICKS));
    }

    private boolean changed(String path, String body) {
        ApiClient.Answer answer = api.post("/log-queues/" + path, body);
        assertThat(answer.status()).as(answer.json().toString()).isEqualTo(200);
        return answer.json().path("changed").asBoolean();
    }

    @Test
    void logQueue_isCreatedOnThePageOfQueues_readAndBounded() {
        assertThat(text(client.get("/jobs/queues/mail"))).contains("Make it a log queue");
        assertThat(text(client.get("/jobs/queues"))).contains("Create a log queue");
        assertThat(set("/jobs/queues", "/jobs/queues/create", "queue=clicks&keep=7+days"))
                .contains("Readers of the log queue", "stay for", "the first one", "any number of entries");
        assertThat(set(CLICKS, CLICKS + "/add-reader", "reader=fraud")).contains("/jobs/queues/clicks%2Ffraud");
        assertThat(client.post(CLICKS + "/seek", "reader=fraud&since=2026-11-25T14:00:00Z")
                        .body())
                .contains("Move reader fraud of log queue clicks?");
        set(CLICKS, CLICKS + "/seek", "since=2026-11-25T14:00:00Z");
        assertThat(set(CLICKS, CLICKS + "/limit-unread", "most=10+GB")).contains("may have 10 GB to read");
        assertThat(set(CLICKS, CLICKS + "/drop-reader", "reader=fraud")).doesNotContain("clicks%2Ffraud");
        assertThat(client.post("/jobs/queues/create", "keep=7+days").statusCode())
                .isEqualTo(400);
        assertThat(client.post("/jobs/queues/mail/limit-unread", "most=none").statusCode())
                .isEqualTo(404);
        assertThat(database.value(
                        "SELECT string_agg(concat_ws(' ', action, object), '; ' ORDER BY id) FROM howdah.audit"
                                + " WHERE begun IS NULL AND action IN ('log-queues.create', 'log-queues.drop-reader')"))
                .isEqualTo("log-queues.create log-queues/clicks; log-queues.drop-reader log-queues/clicks");
        assertThat(database.value("SELECT string_agg(message, ' ' ORDER BY id) FROM howdah.audit"
                        + " WHERE begun IS NOT NULL AND action IN ('log-queues.add-reader', 'log-queues.seek')"))
                .isEqualTo("Reader fraud of log queue clicks is added; its jobs are in queue clicks/fraud."
                        + " The first reader of log queue clicks is moved.");
        assertThat(database.value("SELECT before ->> 'readers' FROM howdah.audit"
                        + " WHERE begun IS NULL AND action = 'log-queues.drop-reader'"))
                .contains("fraud");
    }

    @Test
    void api_doesTheSame_andSaysWhetherItWasSoBefore() {
        assertThat(changed("clicks/create", "{\"keep\": \"P7D\"}")).isTrue();
        assertThat(changed("clicks/create", "{\"keep\": \"PT168H\"}")).isFalse();
        assertThat(changed("clicks/add-reader", "{\"reader\": \"fraud\", \"since\": \"2026-11-25T14:00:00Z\"}"))
                .isTrue();
        assertThat(changed("clicks/add-reader", "{\"reader\": \"fraud\"}")).isFalse();
        assertThat(changed("clicks/limit-unread", "{\"most\": \"2 MB\"}")).isTrue();
        assertThat(changed("clicks/limit-unread", "{\"most\": \"2097152\"}")).isFalse();
        database.execute("SELECT howdah.add('clicks', 'click', '1')");
        JsonNode log = api.get("/log-queues").json().at("/items/0");
        assertThat(log.path("queue").asText()).isEqualTo("clicks");
        assertThat(log.path("keep").asText()).isEqualTo("PT168H");
        assertThat(log.path("most_unread").asText()).isEqualTo("2097152");
        assertThat(log.has("reader")).isFalse();
        assertThat(log.path("waiting").asText()).isEqualTo("1");
        assertThat(api.get("/log-queues").json().at("/items/1/jobs_in").asText())
                .isEqualTo("clicks/fraud");
        assertThat(changed("clicks/seek", "{\"reader\": \"fraud\", \"since\": \"2100-01-01T00:00:00Z\"}"))
                .isTrue();
        assertThat(api.get("/log-queues").json().at("/items/1/waiting").asText())
                .isEqualTo("0");
        assertThat(changed("clicks/drop-reader", "{\"reader\": \"fraud\"}")).isTrue();
        for (String[] wrong : new String[][] {
            {"clicks/drop-reader", "{\"reader\": \"fraud\"}", "404"},
            {"clicks/seek", "{\"reader\": \"fraud\", \"since\": \"2100-01-01T00:00:00Z\"}", "404"},
            {"mail/add-reader", "{\"reader\": \"fraud\"}", "404"},
            {"clicks/limit-unread", "{\"most\": \"10 kB\"}", "422"},
            {"clicks/create", "{\"keep\": \"P36501D\"}", "422"},
            {"%01/create", "{}", "422"}
        })
            assertThat(api.post("/log-queues/" + wrong[0], wrong[1]).status())
                    .as(wrong[0])
                    .isEqualTo(Integer.parseInt(wrong[2]));
    }
}
