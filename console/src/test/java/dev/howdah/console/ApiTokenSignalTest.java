package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.TestDatabase;
import dev.howdah.operations.store.TokenStore;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Signals of parties that have a token of a job, and no login. */
class ApiTokenSignalTest extends ApiTestBase {
    private final HttpClient http = HttpClient.newHttpClient();

    ApiTokenSignalTest(TestDatabase database) {
        super(database);
    }

    private String job() {
        return api.post("/jobs", "{\"kind\": \"order\"}").text("id");
    }

    private String token(String job, String name) {
        return String.valueOf(database.value("SELECT howdah.signal_token(" + job + ", '" + name + "')"));
    }

    private HttpResponse<String> send(String path, String method, String type, String body)
            throws IOException, InterruptedException {
        URI address = console.address().resolve(path);
        return http.send(
                HttpRequest.newBuilder(address)
                        .header("Content-Type", type)
                        .header("Accept", type.contains("json") ? "*/*" : "text/html")
                        .method(method, HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> post(String token, String body) throws IOException, InterruptedException {
        return send("/api/v1/signals/" + token, "POST", "application/json", body);
    }

    private String signals(String job) {
        return String.valueOf(database.value("SELECT count(*) || ' ' || coalesce(min(payload::text || sender), '')"
                + " FROM howdah_internal.job_signal WHERE job = " + job));
    }

    @Test
    void request_withAToken_sendsOneSignal_andIsInTheAuditLogWithoutIt() throws Exception {
        String job = job();
        String token = token(job, "approval");
        assertThat(post("0".repeat(40), "{}").statusCode()).isEqualTo(404);
        assertThat(post("any", "{}").statusCode()).isEqualTo(404);
        assertThat(post(token, "{\"other\": 1}").statusCode()).isEqualTo(422);
        assertThat(post(token, "[]").statusCode()).isEqualTo(400);
        HttpResponse<String> kept = post(token, "{\"payload\": {\"ok\": true, \"password\": \"p\"}}");
        assertThat(kept.statusCode() + " " + kept.body()).isEqualTo("200 {\"result\":\"kept\"}");
        assertThat(post(token, "{}").statusCode()).isEqualTo(410);
        assertThat(signals(job)).startsWith("1 {\"ok\":true,").endsWith("signal-token");
        assertThat(database.value("SELECT actor || ' ' || action || ' ' || object || ' ' || outcome FROM howdah.audit"
                        + " WHERE actor = 'signal-token' AND outcome <> 'begun'"))
                .isEqualTo("signal-token jobs.signal jobs/" + job + " done");
        assertThat(database.value("SELECT count(*) FROM howdah.audit a WHERE a::text LIKE '%" + token + "%'"
                        + " OR a::text LIKE '%\"p\"%'"))
                .isEqualTo("0");
    }

    @Test
    void page_sendsNothing_andItsButtonDoes() throws Exception {
        String job = job();
        String token = token(job, "approval");
        String path = "/signals/" + token + "?payload=" + URLEncoder.encode("{\"ok\": true}", StandardCharsets.UTF_8);
        HttpResponse<String> page = send(path, "GET", "text/html", "");
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.body())
                .contains("Do you confirm", "approval", "<button")
                .doesNotContain("order", "Queues");
        assertThat(send(path, "HEAD", "text/html", "").statusCode()).isEqualTo(200);
        assertThat(signals(job)).isEqualTo("0 ");
        String form = "payload=" + URLEncoder.encode("{\"ok\": true}", StandardCharsets.UTF_8);
        HttpResponse<String> sent = send("/signals/" + token, "POST", "application/x-www-form-urlencoded", form);
        assertThat(sent.body()).contains("Thank you");
        assertThat(signals(job)).startsWith("1 {\"ok\": true}");
        assertThat(send("/signals/" + token, "GET", "text/html", "").statusCode())
                .isEqualTo(410);
        assertThat(send("/signals/" + "0".repeat(40), "GET", "text/html", "").statusCode())
                .isEqualTo(404);
    }

    @Test
    void page_readsNoLargeForm_andNoneOfAnotherKind_beforeItKnowsTheToken() throws Exception {
        String form = "application/x-www-form-urlencoded";
        String none = "/signals/" + "0".repeat(40);
        assertThat(send(none, "POST", form, "payload=" + "[".repeat(80_000)).statusCode())
                .isEqualTo(413);
        assertThat(send(none, "POST", "multipart/form-data; boundary=b", "--b--\r\n")
                        .statusCode())
                .isEqualTo(415);
        assertThat(send(none, "POST", form, "payload=no%20JSON").statusCode())
                .as("the token is looked up first")
                .isEqualTo(404);
        HttpResponse<String> login = http.send(
                HttpRequest.newBuilder(console.address().resolve("/login"))
                        .headers(
                                "Content-Type",
                                form,
                                "Origin",
                                console.address().toString())
                        .POST(HttpRequest.BodyPublishers.ofString("token=" + "t".repeat(80_000)))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(login.statusCode()).isEqualTo(413);
        String operator = new TokenStore(ConsoleFixtures.source(database), "howdah").add("ann", "operator", null, null);
        HttpResponse<String> files = http.send(
                HttpRequest.newBuilder(console.address().resolve("/jobs/change"))
                        .headers(
                                "Content-Type",
                                "multipart/form-data; boundary=b",
                                "Authorization",
                                "Bearer " + operator)
                        .POST(HttpRequest.BodyPublishers.ofString("--b--\r\n"))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(files.statusCode()).as("of a program with a token").isEqualTo(415);
    }

    @Test
    void tokenOfAJobThatHasEnded_isOver() throws Exception {
        String job = job();
        String token = token(job, "approval");
        api.post("/jobs/" + job + "/cancel", "{}");
        assertThat(post(token, "{}").statusCode()).isEqualTo(410);
        assertThat(signals(job)).isEqualTo("0 ");
    }

    @Test
    void requestsOfAnAddress_areBounded() throws Exception {
        String token = "1".repeat(40);
        assertThat(IntStream.range(0, 60).map(i -> status(token)).toArray()).contains(404, 429);
    }

    private int status(String token) {
        try {
            return post(token, "{}").statusCode();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
