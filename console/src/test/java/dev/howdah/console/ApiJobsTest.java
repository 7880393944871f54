package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.FatalException;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class ApiJobsTest extends ApiTestBase {
    ApiJobsTest(TestDatabase database) {
        super(database);
    }

    @Test
    void job_added_isFoundWithEachDigitAndId() {
        database.execute("SELECT setval(pg_get_serial_sequence('howdah_internal.job', 'id'), 9007199254740993)");
        ApiClient.Answer added = api.post("/jobs", """
                {"kind": "mail", "queue": "post", "payload": {"n": 12345678901234567890.10, "t": "ä"}, "priority": -5,
                 "tags": ["a"], "metadata": {"source": "x"}, "attempts": 3, "timeout": "PT30S"}""");
        assertThat(added.status()).isEqualTo(201);
        assertThat(added.text("id")).isEqualTo("9007199254740994");
        assertThat(added.response().headers().firstValue("Location")).hasValue("/api/v1/jobs/9007199254740994");
        ApiClient.Answer found = api.get("/jobs/9007199254740994");
        assertThat(found.response().body())
                .contains("12345678901234567890.10", "\"state\":\"waiting\"", "\"priority\":-5", "\"source\":\"x\"");
    }

    @Test
    void names_withControlCharacters_areRefused() {
        for (String body : List.of(
                "{\"queue\": \"ma\\nil\", \"kind\": \"nobody\"}",
                "{\"queue\": \"ma\\nil\\u001b[31m\", \"kind\": \"no\\rbody\", \"payload\": 1}",
                "{\"kind\": \"no\\rbody\"}",
                "{\"queue\": \"\\u202emoc.live\", \"kind\": \"nobody\"}",
                "{\"kind\": \"nobody\", \"key\": \"\\u0085\"}",
                "{\"kind\": \"nobody\", \"tags\": [\"\\u2066\"]}",
                "{\"kind\": \"nobody\", \"group\": \"\\u0007\"}")) {
            ApiClient.Answer answer = api.post("/jobs", body);
            assertThat(answer.status()).as(body).isEqualTo(422);
            assertThat(answer.text("detail")).matches(".* has the character U\\+[0-9A-F]{4} at position \\d: .*");
            assertThat(api.post("/jobs/batch", "{\"jobs\": [" + body + "]}").status())
                    .isEqualTo(422);
        }
        ApiClient.Answer paused = api.post("/queues/a%0Ab/pause", "{}");
        assertThat(paused.status()).isEqualTo(422);
        assertThat(paused.text("detail")).startsWith("the name of a queue has the character U+000A at position 2: ");
        assertThat(api.post("/jobs", "{\"kind\": \"nobody\", \"payload\": \"a\\n\\u001b\\u202e\"}")
                        .status())
                .isEqualTo(201);
    }

    @Test
    void key_sentAgain_addsOnceAndRefusesAnotherBody() {
        String body = "{\"kind\": \"mail\"}";
        List<CompletableFuture<HttpResponse<String>>> same = new ArrayList<>();
        for (int i = 0; i < 8; i++)
            same.add(CompletableFuture.supplyAsync(
                    () -> api.raw("POST", "/api/v1/jobs", body, "Idempotency-Key", "order-7")));
        assertThat(same.stream()
                        .map(each -> each.join().statusCode() + each.join().body())
                        .distinct())
                .hasSize(1);
        assertThat(database.value("SELECT count(*) FROM howdah_internal.job")).isEqualTo("1");
        ApiClient.Answer other = api.post("/jobs", "{\"kind\": \"other\"}", "Idempotency-Key", "order-7");
        assertThat(other.status()).isEqualTo(422);
        assertThat(other.text("type")).isEqualTo("urn:howdah:problem:key-reused");
        assertThat(api.post("/jobs", body, "Idempotency-Key", "x".repeat(256)).status())
                .isEqualTo(422);
        database.execute("UPDATE howdah_internal.api_key SET at = now() - interval '25 hours'");
        assertThat(api.post("/jobs", body, "Idempotency-Key", "order-7").text("id"))
                .isNotEqualTo(
                        api.get("/jobs?state=waiting").json().at("/items/1/id").asText());
    }

    /** As a task whose remote is our own API asks: each of its requests has a key. */
    @Test
    void key_ofARead_isIgnored() {
        for (String path : new String[] {"/features", "/jobs", "/openapi.json"})
            assertThat(api.raw("GET", "/api/v1" + path, null, "Idempotency-Key", "x")
                            .statusCode())
                    .as(path)
                    .isEqualTo(200);
    }

    @Test
    void key_ofARequestThatFailed_canBeUsedAgain() {
        assertThat(api.post(
                                "/jobs",
                                "{\"kind\": \"mail\", \"run_at\": \"+9999999-01-01T00:00:00Z\"}",
                                "Idempotency-Key",
                                "k")
                        .status())
                .isEqualTo(422);
        assertThat(api.post("/jobs", "{\"kind\": \"mail\"}", "Idempotency-Key", "k")
                        .status())
                .isEqualTo(201);
    }

    @Test
    void job_ofALogQueueThatIsFull_isRefusedUntilLater() {
        database.execute("SELECT howdah.queue('clicks', 'log')");
        database.execute("SELECT howdah.limit_unread('clicks', '1 MB')");
        database.execute("SELECT howdah.add_many('clicks', 'click', array_fill('\"/\"'::json, ARRAY[30000]))");
        ApiClient.Answer refused = api.post("/jobs", "{\"kind\": \"click\", \"queue\": \"clicks\"}");
        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.text("type")).isEqualTo("urn:howdah:problem:log-queue-full");
        assertThat(refused.text("detail")).startsWith("the log queue \"clicks\" is full: its first reader has ");
        assertThat(refused.response().headers().firstValue("Retry-After")).hasValue("1");
        database.execute("SELECT howdah.limit_unread('clicks', NULL)");
        assertThat(api.post("/jobs", "{\"kind\": \"click\", \"queue\": \"clicks\"}")
                        .status())
                .isEqualTo(201);
    }

    @Test
    void jobs_onPages_comeOnceEach() {
        database.execute("SELECT howdah.add('default', 'k', 'null'::json) FROM generate_series(1, 25)");
        List<String> ids = new ArrayList<>();
        String next = "";
        do {
            ApiClient.Answer page = api.get("/jobs?state=waiting&queue=default&kind=k&limit=10" + next);
            assertThat(page.status()).isEqualTo(200);
            page.json().path("items").forEach(each -> ids.add(each.path("id").asText()));
            next = page.json().has("next") ? "&after=" + page.text("next") : "";
        } while (!next.isEmpty());
        assertThat(ids).hasSize(25).doesNotHaveDuplicates();
    }

    @Test
    void job_cancelledAndRetried_saysWhatHappened() {
        String id = api.post("/jobs", "{\"kind\": \"mail\"}").text("id");
        assertThat(api.post("/jobs/" + id + "/retry", "{}").status()).isEqualTo(409);
        assertThat(api.post("/jobs/" + id + "/cancel", null).text("result")).isEqualTo("cancelled");
        assertThat(api.post("/jobs/" + id + "/cancel", null).status()).isEqualTo(409);
        assertThat(api.post("/jobs/" + id + "/retry", null).text("changed")).isEqualTo("true");
        assertThat(api.get("/jobs/999").status()).isEqualTo(404);
        assertThat(api.post("/jobs/999/cancel", null).status()).isEqualTo(404);
        assertThat(database.value("SELECT string_agg(DISTINCT action || ' ' || via, ',' ORDER BY action || ' ' || via)"
                        + " FROM howdah.audit"))
                .isEqualTo("jobs.add api,jobs.cancel api,jobs.retry api");
    }

    /** Kind: the state of what is there forbids a change, as a function of the database says. */
    @Test
    void retry_ofAJobWhoseKeyIsTakenOrKnownNewer_isAConflict() {
        String first = api.post("/jobs", "{\"kind\": \"mail\", \"key\": \"k\"}").text("id");
        api.post("/jobs/" + first + "/cancel", null);
        api.post("/jobs", "{\"kind\": \"mail\", \"key\": \"k\"}");
        ApiClient.Answer taken = api.post("/jobs/" + first + "/retry", null);
        assertThat(taken.status()).isEqualTo(409);
        assertThat(taken.text("detail")).contains("its key \"k\"");
        database.execute("SELECT howdah.add('default', 'mail', '{}', key => 'v', version => '2026-01-01')");
        String old = String.valueOf(database.value("SELECT max(id) FROM howdah.jobs"));
        api.post("/jobs/" + old + "/cancel", null);
        database.execute("SELECT howdah.add('default', 'mail', '{}', key => 'v', version => '2026-01-02')");
        api.post("/jobs/" + database.value("SELECT max(id) FROM howdah.jobs") + "/cancel", null);
        ApiClient.Answer newer = api.post("/jobs/" + old + "/retry", null);
        assertThat(newer.status()).isEqualTo(409);
        assertThat(newer.text("detail")).contains("newer version");
        database.execute("SELECT howdah.schedule(name => 's', queue => 'default', kind => 'tick', cron => '@daily')");
        assertThat(api.post(
                                "/schedules",
                                "{\"name\": \"s\", \"kind\": \"tick\", \"cron\": \"@daily\", \"queue\": \"default\"}")
                        .status())
                .isEqualTo(409);
    }

    @Test
    void secrets_ofAPayload_areMasked() {
        String id = api.post(
                        "/jobs",
                        "{\"kind\": \"mail\", \"payload\": {\"password\": {\"a\": 1}, \"b\": [\"hd_" + "0".repeat(40)
                                + "\"]}}")
                .text("id");
        assertThat(api.get("/jobs/" + id).json().path("payload").toString())
                .isEqualTo("{\"password\":\"***\",\"b\":[\"***\"]}");
    }

    @Test
    void input_thatCannotBe_isSaidAndChangesNothing() {
        String[] bodies = {
            "{\"kind\": \"mail\", \"colour\": 1}",
            "{\"kind\": 7}",
            "{}",
            "{\"kind\": \"\"}",
            "{\"kind\": \"m\", \"priority\": 101}",
            "{\"kind\": \"m\", \"priority\": 1e400}",
            "{\"kind\": \"m\", \"delay\": \"soon\"}",
            "{\"kind\": \"m\", \"run_at\": \"tomorrow\"}",
            "{\"kind\": \"m\\u0000\"}",
            "{\"kind\": \"m\", \"tags\": [1]}",
            "{\"kind\": \"m\", \"key\": \"\"}",
            "{\"kind\": \"m\", \"metadata\": {\"a\": \"" + "x".repeat(5_000) + "\"}}"
        };
        for (String body : bodies)
            assertThat(api.post("/jobs", body).status()).as(body).isEqualTo(422);
        String[] none = {
            "[]",
            "{",
            "{\"kind\": \"m\"} x",
            "{\"kind\": \"m\", \"kind\": \"n\"}",
            "nul",
            "{\"kind\": \"m\", \"payload\": " + "[".repeat(5_000) + "]".repeat(5_000) + "}",
            "{\"kind\": \"m\", \"payload\": " + "9".repeat(5_000) + "}"
        };
        for (String body : none)
            assertThat(api.post("/jobs", body).status()).as(body).isEqualTo(400);
        for (String query : new String[] {
            "state=sleeping",
            "limit=0",
            "limit=501",
            "limit=ten",
            "after=1",
            "colour=red",
            "state=done&state=failed",
            "from=now",
            "queue=" + "q".repeat(201)
        }) assertThat(api.get("/jobs?" + query).status()).as(query).isEqualTo(422);
        assertThat(api.get("/jobs/1'").status()).isEqualTo(404);
        assertThat(database.value("SELECT count(*) FROM howdah_internal.job")).isEqualTo("0");
    }

    @Test
    void jobs_addedTogether_areAllThereInTheirOrderOrNone() {
        StringBuilder jobs = new StringBuilder(
                "{\"kind\": \"k\", \"key\": \"a\", \"payload\": 1.10, \"tags\": [\"t\"]},"
                        + " {\"kind\": \"k\", \"key\": \"a\"}, {\"kind\": \"k\", \"delay\": \"PT1H\", \"timeout\": \"PT30S\"}");
        for (int i = 3; i < 1_000; i++) jobs.append(", {\"kind\": \"k\"}");
        String body = "{\"jobs\": [" + jobs + "]}";
        ApiClient.Answer added = api.post("/jobs/batch", body, "Idempotency-Key", "many");
        assertThat(added.status()).as(added.response().body()).isEqualTo(201);
        assertThat(added.json().path("jobs")).hasSize(1_000);
        assertThat(added.json().at("/jobs/1/id").asText())
                .isEqualTo(added.json().at("/jobs/0/id").asText());
        assertThat(added.json().at("/jobs/1/added").asBoolean(true)).isFalse();
        assertThat(api.post("/jobs/batch", body, "Idempotency-Key", "many")
                        .response()
                        .body())
                .isEqualTo(added.response().body());
        assertThat(database.value("SELECT count(*) FROM howdah_internal.job")).isEqualTo("999");
        assertThat(api.get("/jobs/" + added.json().at("/jobs/0/id").asText())
                        .response()
                        .body())
                .contains("\"payload\":1.10", "\"tags\":[\"t\"]");
        assertThat(api.get("/jobs/" + added.json().at("/jobs/2/id").asText()).text("state"))
                .isEqualTo("planned");
        String[] wrong = {
            "{\"kind\": \"k\"}, {\"kind\": \"k\", \"colour\": 1}",
            "{\"kind\": \"k\"}, {\"queue\": \"q\"}",
            "{\"kind\": \"k\"}, {\"kind\": \"k\", \"priority\": 101}",
            "{\"kind\": \"k\"}, {\"kind\": \"k\", \"key\": \"\"}"
        };
        for (String each : wrong) {
            ApiClient.Answer answer = api.post("/jobs/batch", "{\"jobs\": [" + each + "]}");
            assertThat(answer.status()).as(each).isEqualTo(422);
            assertThat(answer.text("detail")).contains("jobs[1]");
        }
        assertThat(api.post("/jobs/batch", "{\"jobs\": []}").status()).isEqualTo(422);
        assertThat(api.post("/jobs/batch", body.replace("[{", "[{\"kind\": \"k\"}, {"))
                        .status())
                .isEqualTo(422);
        assertThat(database.value("SELECT count(*) FROM howdah_internal.job")).isEqualTo("999");
    }

    @Test
    void job_hurriedPrioritizedAndDeleted_saysWhatHappened() {
        String id = api.post("/jobs", "{\"kind\": \"k\", \"delay\": \"PT1H\"}").text("id");
        String path = "/jobs/" + id;
        assertThat(api.post(path + "/run-now", null).text("changed")).isEqualTo("true");
        assertThat(api.post(path + "/run-now", null).status()).isEqualTo(409);
        assertThat(api.post(path + "/priority", "{\"priority\": -7}").status()).isEqualTo(200);
        assertThat(api.get(path).json().path("priority").asInt()).isEqualTo(-7);
        assertThat(api.post(path + "/priority", "{\"priority\": -101}").status())
                .isEqualTo(422);
        assertThat(api.post(path + "/tags", "{\"tags\": [\"b\", \"a\", \"b\"]}").text("changed"))
                .isEqualTo("true");
        assertThat(api.get(path).json().path("tags").toString()).isEqualTo("[\"a\",\"b\"]");
        assertThat(api.post(path + "/tags", "{\"tags\": [\"" + "x".repeat(101) + "\"]}")
                        .status())
                .isEqualTo(422);
        assertThat(api.post(path + "/tags", "{}").status()).isEqualTo(200);
        assertThat(api.get(path).json().path("tags")).isEmpty();
        assertThat(api.post(path + "/delete", null).status()).isEqualTo(409);
        api.post(path + "/cancel", null);
        assertThat(api.post(path + "/priority", "{\"priority\": 1}").status()).isEqualTo(409);
        assertThat(api.post(path + "/delete", null).text("changed")).isEqualTo("true");
        for (String verb : new String[] {"run-now", "delete", "tags"})
            assertThat(api.post(path + "/" + verb, null).status()).as(verb).isEqualTo(410);
    }

    @Test
    void filter_withSql_isText() {
        database.execute("SELECT howdah.add('default', 'k', 'null'::json)");
        for (String name : new String[] {"queue", "kind", "key", "tag", "error"})
            assertThat(api.get("/jobs?state=waiting&" + name + "=%27%29%20OR%20true%3B%20DROP%20TABLE%20howdah.job--")
                            .json()
                            .path("items"))
                    .isEmpty();
        assertThat(api.get("/jobs?state=waiting").json().path("items")).hasSize(1);
    }

    // gzip
    @Test
    void request_ofAPageElsewhere_isRefusedAsAProblem() {
        String job = "{\"kind\": \"mail\"}";
        String[][] hostile = {
            {"Origin", "http://evil.example"},
            {"Origin", "null"},
            {"Sec-Fetch-Site", "cross-site"},
            {"Cookie", "howdah-session=x"}
        };
        for (String[] headers : hostile) {
            ApiClient.Answer answer = api.post("/jobs", job, headers);
            assertThat(answer.status()).as(String.join(" ", headers)).isEqualTo(403);
            assertThat(answer.text("type")).isEqualTo("urn:howdah:problem:forbidden");
        }
        assertThat(api.post("/jobs", job, "Content-Type", "text/plain").status())
                .isEqualTo(415);
        assertThat(api.post("/jobs", job, "Content-Encoding", "gzip").status()).isEqualTo(415);
        assertThat(database.value("SELECT count(*) FROM howdah_internal.job")).isEqualTo("0");
    }

    @Test
    void body_tooLarge_isRefused() {
        // The second is more than the buffers of both sides hold: its client reads no answer before all of it is taken.
        for (int bytes : new int[] {1_000_000, 7_000_000}) {
            ApiClient.Answer answer =
                    api.post("/jobs", "{\"kind\": \"mail\", \"payload\": \"" + "x".repeat(bytes) + "\"}");
            assertThat(answer.status()).isEqualTo(413);
            assertThat(answer.text("type")).isEqualTo("urn:howdah:problem:body-too-large");
        }
    }

    @Test
    void path_withoutRoute_isAProblem() {
        for (String path : new String[] {"/api/", "/api/v1", "/api/v2/jobs", "/api/v1/job", "/api/v1/../../jobs"}) {
            HttpResponse<String> answer = api.raw("GET", path, null);
            if (!path.contains("..")) {
                assertThat(answer.statusCode()).as(path).isEqualTo(404);
                assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
            }
        }
        HttpResponse<String> put = api.raw("PUT", "/api/v1/jobs", "{}");
        assertThat(put.statusCode()).isEqualTo(405);
        assertThat(put.headers().firstValue("Allow")).hasValue("GET, POST");
    }

    @Test
    void database_withoutJobs_saysThatTheyAreNotInstalled() {
        database.execute("DROP SCHEMA howdah, howdah_internal CASCADE");
        ApiClient.Answer answer = api.get("/jobs/1");
        assertThat(answer.status()).isEqualTo(409);
        assertThat(answer.text("type")).isEqualTo("urn:howdah:problem:not-installed");
        assertThat(answer.response().body()).doesNotContain("SELECT", "howdah_internal.job ");
    }

    @Test
    void history_ofAJob_hasItsAttemptsItsLogAndHowFarItIs() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Kind<String> kind = Kind.of("report", String.class);
        try (Jobs jobs = Jobs.on(ConsoleFixtures.source(database))
                .handle(kind, (payload, job) -> {
                    job.progress(0.5, "page 5, token=hidden");
                    job.log("reading password=hidden");
                    job.step("sum", Integer.class, () -> 42);
                    begun.countDown();
                    end.await();
                    throw new FatalException("no paper");
                })
                .start()) {
            long id = jobs.add(kind, "Monday");
            begun.await();
            await().until(() ->
                    api.get("/jobs/" + id + "/history").json().path("log").size() == 1);
            ApiClient.Answer running = api.get("/jobs/" + id + "/history");
            assertThat(running.json().path("progress").asDouble()).isEqualTo(0.5);
            assertThat(running.json().at("/attempts/0/result").asText()).isEqualTo("running");
            assertThat(running.json().at("/steps/0/result").asInt()).isEqualTo(42);
            assertThat(running.response().body()).doesNotContain("hidden");
            end.countDown();
            await().until(() -> api.get("/jobs/" + id).text("state").equals("failed"));
            assertThat(api.get("/jobs/" + id + "/history")
                            .json()
                            .at("/attempts/0/error")
                            .asText())
                    .contains("no paper");
        }
        assertThat(api.get("/jobs/99/history").status()).isEqualTo(404);
    }

    @Test
    void change_withAReason_isWrittenDownWithIt() {
        String id = api.post("/jobs", "{\"kind\": \"mail\", \"reason\": \"order 7 was lost\"}")
                .text("id");
        assertThat(api.post("/jobs/" + id + "/cancel", "{\"reason\": \"wrong customer\"}")
                        .status())
                .isEqualTo(200);
        assertThat(database.value("SELECT string_agg(action || ': ' || (after ->> 'reason'), ', ' ORDER BY id)"
                        + " FROM howdah.audit WHERE outcome = 'begun'"))
                .isEqualTo("jobs.add: order 7 was lost, jobs.cancel: wrong customer");
        assertThat(api.get("/audit?action=jobs.cancel")
                        .json()
                        .at("/items/0/sent/reason")
                        .asText())
                .isEqualTo("wrong customer");
        ApiClient.Answer long_ = api.post("/jobs/" + id + "/retry", "{\"reason\": \"" + "x".repeat(201) + "\"}");
        assertThat(long_.status()).isEqualTo(422);
        assertThat(long_.json().at("/errors/0/pointer").asText()).isEqualTo("/reason");
        assertThat(api.post("/jobs/" + id + "/retry", "{\"because\": 1}").status())
                .isEqualTo(422);
        assertThat(api.get("/jobs/" + id).text("state")).isEqualTo("cancelled");
    }

    @Test
    void answer_hasATag_thatSaysWhetherAnythingHasChanged() {
        String id =
                api.post("/jobs", "{\"kind\": \"mail\", \"delay\": \"PT1H\"}").text("id");
        String path = "/api/v1/jobs/" + id;
        String seen = tag(api.raw("GET", path, null));
        HttpResponse<String> same = api.raw("GET", path, null, "If-None-Match", seen);
        assertThat(same.statusCode()).isEqualTo(304);
        assertThat(same.body()).isEmpty();
        assertThat(tag(same)).isEqualTo(seen);
        assertThat(api.post("/jobs/" + id + "/priority", "{\"priority\": 3}", "If-Match", seen)
                        .status())
                .isEqualTo(200);
        assertThat(api.raw("GET", path, null, "If-None-Match", seen).statusCode())
                .isEqualTo(200);
        ApiClient.Answer late = api.post("/jobs/" + id + "/cancel", null, "If-Match", seen);
        assertThat(late.status()).isEqualTo(412);
        assertThat(late.text("type")).isEqualTo("urn:howdah:problem:precondition-failed");
        assertThat(api.get("/jobs/" + id).text("state")).isEqualTo("planned");
        String now = tag(api.raw("GET", path, null));
        assertThat(api.post("/jobs/" + id + "/cancel", null, "If-Match", seen + ", " + now)
                        .status())
                .isEqualTo(200);
        // Where nothing is read that could have changed, the header would promise something.
        assertThat(api.post("/queues/default/pause", null, "If-Match", now).status())
                .isEqualTo(422);
        assertThat(api.post("/jobs/999/cancel", null, "If-Match", "*").status()).isEqualTo(404);
    }

    private static String tag(HttpResponse<String> answer) {
        return answer.headers().firstValue("ETag").orElseThrow();
    }

    @Test
    void job_thatWasRemoved_isToldApartFromOneThatNeverWas() {
        String id = api.post("/jobs", "{\"kind\": \"mail\"}").text("id");
        database.execute("DELETE FROM howdah_internal.job");
        for (String path : new String[] {"/jobs/" + id, "/jobs/" + id + "/why", "/jobs/" + id + "/history"}) {
            ApiClient.Answer gone = api.get(path);
            assertThat(gone.status()).as(path).isEqualTo(410);
            assertThat(gone.text("type")).isEqualTo("urn:howdah:problem:gone");
            assertThat(gone.text("detail")).startsWith("There is no job " + id + " any more");
        }
        assertThat(api.post("/jobs/" + id + "/retry", null).status()).isEqualTo(410);
        ApiClient.Answer never = api.get("/jobs/999");
        assertThat(never.status()).isEqualTo(404);
        assertThat(never.text("detail")).contains("ids up to " + id + " have been given");
        ConsoleClient browser = new ConsoleClient(console.address());
        assertThat(browser.get("/jobs/" + id).statusCode()).isEqualTo(404);
        assertThat(browser.get("/jobs/" + id).body()).contains("There is no job " + id + " any more");
        assertThat(browser.get("/jobs/999").body()).contains("have been given");
    }

    @Test
    void values_thatCannotBe_areNamedByPointers() {
        String[][] wrong = {
            {"/jobs", "{\"kind\": \"m\", \"a/b\": 1}", "/a~1b"},
            {"/jobs", "{\"kind\": 7}", "/kind"},
            {"/jobs", "{}", "/kind"},
            {"/jobs", "{\"kind\": \"m\", \"delay\": \"soon\"}", "/delay"},
            {"/jobs/batch", "{\"jobs\": [{\"kind\": \"m\"}, {\"kind\": \"m\", \"tags\": [1]}]}", "/jobs/1/tags"},
            {"/jobs/batch", "{\"jobs\": [{\"kind\": \"m\"}, {\"kind\": \"\"}]}", "/jobs/1"}
        };
        for (String[] each : wrong) {
            ApiClient.Answer answer = api.post(each[0], each[1]);
            assertThat(answer.status()).as(each[1]).isEqualTo(422);
            assertThat(answer.json().at("/errors/0/pointer").asText())
                    .as(each[1])
                    .isEqualTo(each[2]);
            assertThat(answer.json().at("/errors/0/detail").asText()).isEqualTo(answer.text("detail"));
        }
        ApiClient.Answer late = api.post("/jobs", "{\"kind\": \"m\", \"run_at\": \"+9999999-01-01T00:00:00Z\"}");
        assertThat(late.status()).isEqualTo(422);
    }

    @Test
    void pages_areAlsoLinksOfTheHeader() {
        database.execute("SELECT howdah.add('default', 'k', 'null'::json) FROM generate_series(1, 3)");
        HttpResponse<String> first = api.raw("GET", "/api/v1/jobs?state=waiting&kind=k&limit=2", null);
        String link = first.headers().firstValue("Link").orElseThrow();
        assertThat(link).matches("<\\?state=waiting&(kind=k|limit=2)&(kind=k|limit=2)&after=[^>]+>; rel=\"next\"");
        String next = link.substring(1, link.indexOf('>'));
        HttpResponse<String> second = api.raw("GET", "/api/v1/jobs" + next, null);
        assertThat(second.body()).contains("\"id\":\"1\"");
        assertThat(second.headers().firstValue("Link").orElseThrow())
                .contains("&before=")
                .endsWith("; rel=\"prev\"")
                .doesNotContain("after=");
        assertThat(api.raw("GET", "/api/v1/jobs/counts", null).headers().firstValue("Link"))
                .isEmpty();
    }

    @Test
    void bodies_withHalfACharacter_areRefused_andNothingIsAdded() throws Exception {
        for (String payload : new String[] {
            "\"a\\ud800b\"", "{\"x\": [1, \"\\uDC00\"]}", "[{\"y\": \"\\ud83d\"}]", "\"\\ude00\\ud83d\""
        })
            assertThat(api.post("/jobs", "{\"kind\": \"m\", \"payload\": " + payload + "}")
                            .status())
                    .as(payload)
                    .isEqualTo(422);
        assertThat(api.post("/jobs", "{\"kind\": \"m\", \"tags\": [\"\\ud800\"]}")
                        .status())
                .isEqualTo(422);
        HttpRequest latin = HttpRequest.newBuilder(console.address().resolve("/api/v1/jobs"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofByteArray(
                        "{\"kind\": \"m\", \"payload\": \"\u00e4\"}".getBytes(StandardCharsets.ISO_8859_1)))
                .build();
        assertThat(HttpClient.newHttpClient()
                        .send(latin, HttpResponse.BodyHandlers.ofString())
                        .statusCode())
                .isEqualTo(400);
        assertThat(database.value("SELECT count(*) FROM howdah_internal.job")).isEqualTo("0");
        assertThat(api.post("/jobs", "{\"kind\": \"m\", \"payload\": \"\\ud83d\\ude00\"}")
                        .status())
                .isEqualTo(201);
        assertThat(database.value("SELECT payload FROM howdah_internal.job")).isEqualTo("\"\uD83D\uDE00\"");
    }

    @Test
    void pipeline_putAndRun_addsAWorkflowForEachInput() {
        String stages = "{\"stages\": [{\"name\": \"charge\", \"kind\": \"charge\"},"
                + " {\"name\": \"tell\", \"kind\": \"tell\", \"queue\": \"mail\", \"payload\": {\"to\": \"$input.id\"}}]}";
        assertThat(api.post("/pipelines/order/put", stages).text("name")).isEqualTo("order");
        String inputs = "{\"inputs\": [{\"id\": 1}, {\"id\": 2}, null]}";
        ApiClient.Answer added = api.post("/pipelines/order/runs", inputs, "Idempotency-Key", "run-1");
        assertThat(added.status()).isEqualTo(201);
        assertThat(api.post("/pipelines/order/runs", inputs, "Idempotency-Key", "run-1")
                        .json())
                .isEqualTo(added.json());
        assertThat(added.json().path("workflows")).hasSize(3);
        assertThat(api.get("/workflows/" + added.json().at("/workflows/1").asText())
                        .json()
                        .at("/workflow/name")
                        .asText())
                .isEqualTo("order");
        assertThat(database.value("SELECT string_agg(queue || ' ' || kind || ' ' || payload, ', ' ORDER BY id)"
                        + " FROM howdah.jobs WHERE kind = 'charge'"))
                .isEqualTo("order charge {\"id\":1}, order charge {\"id\":2}, order charge null");
        assertThat(api.post("/pipelines/none/runs", inputs).status()).isEqualTo(404);
        assertThat(api.post("/pipelines/order/runs", "{\"inputs\": []}").status())
                .isEqualTo(422);
        assertThat(api.post("/pipelines/bad/put", "{\"stages\": []}").status()).isEqualTo(422);
    }

    @Test
    void workflows_ofABatch_areAddedAllOrNone() {
        String good = "{\"jobs\": [{\"name\": \"a\", \"kind\": \"k\"}]}";
        ApiClient.Answer added = api.post("/workflows/batch", "{\"workflows\": [" + good + ", " + good + "]}");
        assertThat(added.status()).isEqualTo(201);
        assertThat(added.json().path("workflows")).hasSize(2);
        String bad = "{\"jobs\": [{\"name\": \"a\", \"kind\": \"k\", \"after\": [\"b\"]}]}";
        assertThat(api.post("/workflows/batch", "{\"workflows\": [" + good + ", " + bad + "]}")
                        .status())
                .isEqualTo(422);
        assertThat(api.post("/workflows/batch", "{\"workflows\": []}").status()).isEqualTo(422);
        assertThat(database.value("SELECT count(*) FROM howdah.jobs")).isEqualTo("2");
    }
}
