package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.operations.store.TokenStore;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ApiWorkersTest extends ApiTestBase {
    private static final String CLAIM = "{\"kinds\": [\"mail\"], \"worker\": \"w\", \"lease\": 30, \"wait\": 20}";

    ApiWorkersTest(TestDatabase database) {
        super(database);
    }

    private String add(String payload) {
        return api.post("/jobs", "{\"kind\": \"mail\", \"payload\": " + payload + "}")
                .text("id");
    }

    private JsonNode claim() {
        ApiClient.Answer answer = api.post("/workers/claim", CLAIM);
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.json().path("claims")).hasSize(1);
        return answer.json().path("claims").get(0);
    }

    private ApiClient.Answer say(String action, JsonNode claim, String more) {
        return api.post(
                "/workers/" + action, "{\"token\": \"" + claim.path("token").asText() + "\"" + more + "}");
    }

    private String state(String id) {
        return api.get("/jobs/" + id).text("state");
    }

    // replayed
    @Test
    void job_claimedAndCompleted_isDoneWhenThatIsAnswered() {
        String id = add("{\"password\": 12345678901234567890.10}");
        JsonNode claim = claim();
        assertThat(claim.path("id").asText()).isEqualTo(id);
        assertThat(claim.path("payload").toString()).contains("password").doesNotContain("***");
        assertThat(state(id)).isEqualTo("running");
        assertThat(say("complete", claim, ", \"result\": {\"n\": 1}").text("id"))
                .isEqualTo(id);
        assertThat(state(id)).isEqualTo("done");
        assertThat(api.get("/jobs/" + id).json().path("result").toString()).isEqualTo("{\"n\":1}");
        // The same again, as after a lost answer, and something else.
        assertThat(say("complete", claim, ", \"result\": {\"n\": 1}").status()).isEqualTo(200);
        assertThat(say("fail", claim, ", \"error\": \"no\"").status()).isEqualTo(409);
        assertThat(say("heartbeat", claim, "").status()).isEqualTo(410);
    }

    @Test
    void delay_ofMoreThanAThousandYears_isRefused_andTheClaimStays() {
        String id = add("1");
        JsonNode claim = claim();
        for (String action : new String[] {"fail", "snooze"})
            assertThat(say(
                                    action,
                                    claim,
                                    (action.equals("fail") ? ", \"error\": \"disk full\"" : "")
                                            + ", \"delay\": \"PT99999999H\"")
                            .status())
                    .isEqualTo(422);
        assertThat(say("fail", claim, ", \"error\": \"disk full\", \"retry\": false")
                        .status())
                .isEqualTo(200);
        assertThat(api.get("/jobs/" + id).text("error")).isEqualTo("disk full");
    }

    @Test
    void poll_thatWaits_getsTheNextJobAndNoMore() {
        CompletableFuture<ApiClient.Answer> poll = api.postLater("/workers/claim", CLAIM);
        await().until(() -> !"0".equals(database.value("SELECT count(*) FROM howdah_internal.node")));
        assertThat(poll).isNotDone();
        add("1");
        add("2");
        assertThat(poll.join().json().path("claims")).hasSize(1);
        // None is claimed without a request for it.
        assertThat(api.get("/jobs?state=waiting").json().path("items")).hasSize(1);
        JsonNode claim = poll.join().json().path("claims").get(0);
        assertThat(say("complete", claim, "").status()).isEqualTo(200);
        assertThat(api.get("/jobs?state=waiting").json().path("items")).hasSize(1);
    }

    private ApiClient.Answer claimWith(String key) {
        return claimWith(key, 3);
    }

    private ApiClient.Answer claimWith(String key, int wait) {
        return api.post("/workers/claim", CLAIM.replace("20}", wait + ", \"max\": 2}"), "Idempotency-Key", key);
    }

    @Test
    void claim_whoseAnswerWasLost_isAnsweredAgain() throws Exception {
        String id = add("1");
        try (Socket worker = rawClaim("k1", CLAIM.replace("20}", "20, \"max\": 2}"))) {
            // Before the answer is there, the job of a client that is gone may go to another one.
            await().until(() -> worker.getInputStream().available() > 0);
            assertThat(state(id)).isEqualTo("running");
            worker.setSoLinger(true, 0);
        }
        // Another key gets other jobs, of which there are none.
        assertThat(claimWith("k2").json().path("claims")).isEmpty();
        ApiClient.Answer again = claimWith("k1");
        assertThat(again.json().at("/claims/0/id").asText()).isEqualTo(id);
        assertThat(again.json().at("/claims/0/attempt").asInt()).isEqualTo(1);
        assertThat(claimWith("k1").json()).isEqualTo(again.json());
        assertThat(api.post("/workers/claim", CLAIM, "Idempotency-Key", "k1").text("type"))
                .isEqualTo("urn:howdah:problem:key-reused");
        assertThat(say("complete", again.json().at("/claims/0"), "").status()).isEqualTo(200);
        // What has ended is not handed out again.
        assertThat(claimWith("k1").json().path("claims")).isEmpty();
        assertThat(database.value("SELECT count(*) FROM howdah_internal.job")).isEqualTo("0");
    }

    /** Sends a claim over a connection of its own. */
    private Socket rawClaim(@Nullable String key, String body) throws IOException {
        Socket worker = new Socket("127.0.0.1", console.address().getPort());
        worker.getOutputStream()
                .write(("POST /api/v1/workers/claim HTTP/1.1\r\nHost: "
                                + console.address().getAuthority()
                                + "\r\nContent-Type: application/json\r\n"
                                + (key == null ? "" : "Idempotency-Key: " + key + "\r\n")
                                + "Content-Length: " + body.length() + "\r\n\r\n" + body)
                        .getBytes(StandardCharsets.US_ASCII));
        worker.getOutputStream().flush();
        return worker;
    }

    /** Connections that were closed, in one direction, or reset, of which no job is claimed: the last attempt of a job is not used up. */
    @Test
    void claims_ofClientsThatAreGone_getNoJob() throws IOException {
        String body = CLAIM.replace("20}", "25, \"max\": 2}");
        List<Socket> gone = new ArrayList<>();
        for (String key : new String[] {null, "k1", null, "k2", null, "k3"}) gone.add(rawClaim(key, body));
        await().until(() -> !"0".equals(database.value("SELECT count(*) FROM howdah_internal.node")));
        for (int i = 0; i < gone.size(); i++) {
            if (i < 2) gone.get(i).setSoLinger(true, 0);
            if (i < 4) gone.get(i).close();
            else gone.get(i).shutdownOutput();
        }
        CompletableFuture<ApiClient.Answer> poll = api.postLater("/workers/claim", body);
        String id = api.post("/jobs", "{\"kind\": \"mail\", \"payload\": 1, \"attempts\": 1}")
                .text("id");
        JsonNode claim = poll.join().json().at("/claims/0");
        assertThat(claim.path("id").asText()).isEqualTo(id);
        assertThat(claim.path("attempt").asInt()).isEqualTo(1);
        assertThat(say("complete", claim, "").status()).isEqualTo(200);
        for (Socket each : gone) each.close();
        // The key of a claim that took nothing asks anew.
        String second = add("2");
        assertThat(api.post("/workers/claim", body, "Idempotency-Key", "k1")
                        .json()
                        .at("/claims/0/id")
                        .asText())
                .isEqualTo(second);
    }

    /** A connection on which the next request stands already is that of a client. */
    @Test
    void claim_withTheNextRequestBehindIt_waits_andBothAreAnswered() throws IOException {
        try (Socket worker = rawClaim(null, CLAIM)) {
            await().until(() -> !"0".equals(database.value("SELECT count(*) FROM howdah_internal.node")));
            worker.getOutputStream()
                    .write(("GET /api/v1/queues HTTP/1.1\r\nHost: "
                                    + console.address().getAuthority() + "\r\nConnection: close\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            worker.getOutputStream().flush();
            String id = add("1");
            worker.setSoTimeout((int) Patience.LIMIT.toMillis());
            String answers = new String(worker.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(answers).contains("\"id\":\"" + id + "\"", "\"items\"");
        }
    }

    @Test
    void claim_sentAgainWhileItWaits_hasTheSameAnswer() {
        CompletableFuture<ApiClient.Answer> first = CompletableFuture.supplyAsync(() -> claimWith("k", 20));
        CompletableFuture<ApiClient.Answer> second = CompletableFuture.supplyAsync(() -> claimWith("k", 20));
        await().until(() -> !"0".equals(database.value("SELECT count(*) FROM howdah_internal.node")));
        String id = add("1");
        assertThat(first.join().json().path("claims")).hasSize(1);
        assertThat(first.join().json()).isEqualTo(second.join().json());
        assertThat(first.join().json().at("/claims/0/id").asText()).isEqualTo(id);
    }

    @Test
    void jobs_ofManyPolls_comeOnceEach() {
        database.execute("SELECT howdah.add('default', 'mail', to_json(i)) FROM generate_series(1, 60) i");
        CompletableFuture<?>[] workers = new CompletableFuture<?>[4];
        Set<String> seen = java.util.Collections.synchronizedSet(new HashSet<>());
        for (int i = 0; i < workers.length; i++)
            workers[i] = CompletableFuture.runAsync(() -> {
                while (true) {
                    JsonNode claims = api.post("/workers/claim", "{\"kinds\": [\"mail\"], \"max\": 10, \"wait\": 1}")
                            .json()
                            .path("claims");
                    // One that comes back empty while there are jobs has only been too slow.
                    if (claims.isEmpty() && seen.size() == 60) return;
                    for (JsonNode each : claims) {
                        assertThat(seen.add(each.path("id").asText())).isTrue();
                        assertThat(say("complete", each, "").status()).isEqualTo(200);
                    }
                }
            });
        assertThat(CompletableFuture.allOf(workers)).succeedsWithin(Duration.ofMinutes(1));
        assertThat(seen).hasSize(60);
        assertThat(database.value("SELECT count(*) FROM howdah_internal.job")).isEqualTo("0");
    }

    @Test
    void job_failedSnoozedAndReleased_waitsAgain() {
        String id = add("null");
        assertThat(say("release", claim(), "").status()).isEqualTo(200);
        JsonNode second = claim();
        assertThat(second.path("attempt").asInt()).isEqualTo(1);
        assertThat(say("snooze", second, ", \"delay\": \"PT0S\"").status()).isEqualTo(200);
        assertThat(say("fail", claim(), ", \"error\": \"no such mail\", \"delay\": \"PT0S\"")
                        .status())
                .isEqualTo(200);
        JsonNode last = claim();
        assertThat(last.path("attempt").asInt()).isEqualTo(2);
        assertThat(say("fail", last, ", \"error\": \"never\", \"retry\": false").status())
                .isEqualTo(200);
        assertThat(state(id)).isEqualTo("failed");
        assertThat(api.get("/jobs/" + id).text("error")).contains("never");
    }

    @Test
    void heartbeat_withAMessageOnly_keepsTheProgress_andTextWithTheCharacter0IsRefusedByItsName() {
        String id = add("null");
        JsonNode claim = claim();
        assertThat(say("heartbeat", claim, ", \"progress\": 0.5, \"message\": \"half\"")
                        .status())
                .isEqualTo(200);
        assertThat(say("heartbeat", claim, ", \"message\": \"three quarters\"").status())
                .isEqualTo(200);
        await().until(() -> "0.5 three quarters"
                .equals(database.value(
                        "SELECT COALESCE(max(p.done || ' ' || p.message), '') FROM howdah.progress p WHERE p.job = "
                                + id)));
        for (String field : new String[] {"log\": [\"a\\u0000\"]", "message\": \"a\\u0000\""})
            assertThat(say("heartbeat", claim, ", \"" + field).text("detail")).contains("has the character 0");
    }

    @Test
    void job_cancelled_isToldWithTheHeartbeat() {
        String id = add("null");
        JsonNode claim = claim();
        assertThat(say("heartbeat", claim, ", \"progress\": 0.5, \"message\": \"half\", \"log\": [\"a line\"]")
                        .json()
                        .path("cancel")
                        .asBoolean())
                .isFalse();
        assertThat(api.post("/jobs/" + id + "/cancel", null).text("result")).isEqualTo("asked");
        await().until(() -> say("heartbeat", claim, "").json().path("cancel").asBoolean());
        assertThat(say("complete", claim, "").status()).isEqualTo(200);
        assertThat(state(id)).isEqualTo("done");
    }

    /** A worker that stops gives its jobs back, of which some were cancelled meanwhile. */
    @Test
    void job_cancelledWhileItRan_isNotBegunAgain_whateverItsWorkerSays() {
        for (String[] said : new String[][] {
            {"release", ""},
            {"snooze", ", \"delay\": \"PT0S\""},
            {"fail", ", \"error\": \"interrupted\", \"delay\": \"PT0S\""},
            {"complete", ", \"next\": {\"kind\": \"mail\"}"}
        }) {
            String id = add("null");
            JsonNode claim = claim();
            assertThat(api.post("/jobs/" + id + "/cancel", null).text("result")).isEqualTo("asked");
            assertThat(say(said[0], claim, said[1]).status()).as(said[0]).isEqualTo(200);
            await().until(() -> state(id).equals("cancelled"));
        }
        assertThat(api.post("/workers/claim", CLAIM.replace("20}", "1}")).json().path("claims"))
                .isEmpty();
    }

    /**
     * More than enough wait: each takes a while to be read, and they are in queues and of kinds that are looked at one after the other. A claim that
     * brings fewer has gathered them for two seconds, which a machine that has much to do may need.
     */
    @Test
    void claim_ofManyJobs_bringsAsManyAsItAsksFor() {
        String queues = IntStream.range(0, 10).mapToObj(i -> "\"q" + i + "\"").collect(Collectors.joining(", "));
        database.execute("SELECT howdah.add('q' || i % 10, 'mail' || i % 2, x.payload) FROM generate_series(1, 210) i,"
                + " (SELECT json_agg(n) AS payload FROM generate_series(1, 20000) n) x");
        String claim = "{\"kinds\": [\"mail0\", \"mail1\"], \"queues\": [" + queues + "], \"wait\": 25, \"max\": ";
        for (int left = 210; left > 0; ) {
            int most = Math.min(left, 100);
            long began = System.nanoTime();
            JsonNode claims =
                    api.post("/workers/claim", claim + most + "}").json().path("claims");
            assertThat(claims).isNotEmpty().hasSizeLessThanOrEqualTo(most);
            if (claims.size() < most)
                assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThanOrEqualTo(Duration.ofSeconds(2));
            left -= claims.size();
        }
    }

    /** The end of each is written when it is said: none waits for others of its claim. */
    @Test
    void jobs_claimedTogether_areEndedOneByOne() {
        database.execute("SELECT howdah.add('default', 'mail', to_json(i)) FROM generate_series(1, 5) i");
        JsonNode claims = api.post("/workers/claim", CLAIM.replace("20}", "20, \"max\": 5}"))
                .json()
                .path("claims");
        assertThat(claims).hasSize(5);
        for (JsonNode each : claims) {
            assertThat(java.time.Instant.parse(each.path("run_at").asText()))
                    .isEqualTo(java.time.Instant.parse(
                            api.get("/jobs/" + each.path("id").asText()).text("run_at")));
            assertThat(say("complete", each, "").status()).isEqualTo(200);
        }
        assertThat(database.value(
                        "SELECT count(*) || ' ' || bool_and(alone) FROM howdah_internal.batch WHERE jobs > 0"))
                .isEqualTo("5 true");
    }

    @Test
    void claim_thatWaits_endsWithItsToken() {
        TokenStore tokens = new TokenStore(ConsoleFixtures.source(database), "howdah");
        String token = tokens.add("w", "worker", null, null);
        ApiClient worker = new ApiClient(console.address(), null, "Bearer " + token);
        CompletableFuture<ApiClient.Answer> poll = worker.postLater("/workers/claim", CLAIM.replace("20}", "25}"));
        await().until(() -> !"0".equals(database.value("SELECT count(*) FROM howdah_internal.node")));
        tokens.revoke("w");
        await().atMost(Patience.LIMIT).until(poll::isDone);
        assertThat(poll.join().json().path("claims")).isEmpty();
        add("1");
        assertThat(state("1")).isEqualTo("waiting");
    }

    /** The pages of the console have few connections; those of workers are others. */
    @Test
    void workers_ofManySets_takeNoConnectionOfThePages() {
        HikariConfig config = new HikariConfig();
        config.setDataSource(ConsoleFixtures.source(database));
        config.setMaximumPoolSize(4);
        config.setConnectionTimeout(5_000);
        try (HikariDataSource pages = new HikariDataSource(config);
                Console few = Console.on(pages)
                        .port(0)
                        .workerSessions(ConsoleFixtures.source(database))
                        .start()) {
            ApiClient client = new ApiClient(few.address());
            List<CompletableFuture<ApiClient.Answer>> polls = new ArrayList<>();
            for (int i = 0; i < 6; i++)
                polls.add(client.postLater("/workers/claim", CLAIM.replace("mail", "kind" + i)));
            await().until(() -> "6".equals(database.value("SELECT count(*) FROM howdah_internal.node")));
            for (int i = 0; i < 6; i++)
                assertThat(client.post("/jobs", "{\"kind\": \"kind" + i + "\", \"payload\": 1}")
                                .status())
                        .isEqualTo(201);
            for (CompletableFuture<ApiClient.Answer> each : polls)
                assertThat(each.join().json().path("claims")).hasSize(1);
            assertThat(client.get("/queues").status()).isEqualTo(200);
        }
    }

    /** What was claimed for an answer that fails is not lost to other workers until its lease is over. */
    @Test
    void claim_thatCannotBeAnswered_givesItsJobsBackWithoutAnAttempt() throws SQLException {
        HikariConfig config = new HikariConfig();
        config.setDataSource(ConsoleFixtures.source(database));
        config.setMaximumPoolSize(1);
        config.setConnectionTimeout(1_000);
        String body = CLAIM.replace("20}", "25}");
        try (HikariDataSource pages = new HikariDataSource(config);
                Console few = Console.on(pages)
                        .port(0)
                        .workerSessions(ConsoleFixtures.source(database))
                        .start()) {
            ApiClient client = new ApiClient(few.address());
            CompletableFuture<ApiClient.Answer> poll = client.postLater("/workers/claim", body);
            await().until(() -> !"0".equals(database.value("SELECT count(*) FROM howdah_internal.node")));
            try (Connection held = pages.getConnection()) {
                assertThat(held.isValid(0)).isTrue();
                database.execute("SELECT howdah.add('default', 'mail', '1')");
                assertThat(poll.join().status()).isEqualTo(503);
                assertThat(poll.join().response().headers().firstValue("Retry-After"))
                        .isPresent();
            }
            JsonNode again = client.post("/workers/claim", body).json().at("/claims/0");
            assertThat(again.path("attempt").asInt()).isEqualTo(1);
        }
    }

    // guessed
    @Test
    void token_thatNobodyHas_changesNothing() {
        String id = add("null");
        claim();
        for (String token : new String[] {"", "x", "' OR true --", "A".repeat(27)})
            assertThat(api.post("/workers/complete", "{\"token\": \"" + token + "\"}")
                            .status())
                    .isEqualTo(410);
        assertThat(state(id)).isEqualTo("running");
    }

    @Test
    void claim_thatCannotBe_isRefused() {
        for (String body : new String[] {
            "{}",
            "{\"kinds\": []}",
            "{\"kinds\": [\"\"]}",
            "{\"kinds\": [\"a\"], \"max\": 101}",
            "{\"kinds\": [\"a\"], \"wait\": 26}",
            "{\"kinds\": [\"a\"], \"lease\": 4}",
            "{\"kinds\": \"a\"}"
        }) assertThat(api.post("/workers/claim", body).status()).as(body).isEqualTo(422);
    }

    @Test
    void server_stopped_givesItsJobsBack() {
        String id = add("null");
        JsonNode claim = claim();
        console.close();
        assertThat(database.value("SELECT attempt FROM howdah_internal.job WHERE id = " + id))
                .isEqualTo("0");
        console = Console.on(ConsoleFixtures.source(database)).port(0).start();
        api = new ApiClient(console.address());
        assertThat(say("complete", claim, "").status()).isEqualTo(410);
        assertThat(claim().path("id").asText()).isEqualTo(id);
    }

    // after the job was given on
    @Test
    void pythonWorker_killed_losesItsJobToAnother(@TempDir Path folder) throws IOException, InterruptedException {
        assumeThat(Path.of("/usr/bin/python3")).as("python3").exists();
        String quick = add("{\"n\": 1}");
        Process worker = worker(folder);
        try {
            await().atMost(Patience.LIMIT).until(() -> said(folder).contains("ended " + quick + " complete"));
            assertThat(state(quick)).isEqualTo("done");
            assertThat(api.get("/jobs/" + quick).json().path("result").toString())
                    .isEqualTo("{\"seen\":{\"n\":1}}");
            String slow = add("{\"seconds\": 600}");
            await().atMost(Patience.LIMIT).until(() -> said(folder).contains("began " + slow));
            worker.destroyForcibly().waitFor();
            JsonNode again = claim();
            assertThat(again.path("id").asText()).isEqualTo(slow);
            assertThat(again.path("attempt").asInt()).isEqualTo(2);
            assertThat(api.get("/jobs/" + slow).text("error")).contains("was silent for 5 s");
            assertThat(say("complete", again, "").status()).isEqualTo(200);
        } finally {
            worker.destroyForcibly();
        }
    }

    @Test
    void pythonWorker_terminated_endsItsJobFirst(@TempDir Path folder) throws IOException, InterruptedException {
        assumeThat(Path.of("/usr/bin/python3")).as("python3").exists();
        String id = add("{\"seconds\": 2}");
        Process worker = worker(folder);
        await().atMost(Patience.LIMIT).until(() -> said(folder).contains("began " + id));
        worker.destroy();
        assertThat(worker.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(worker.exitValue()).as(said(folder)).isZero();
        assertThat(state(id)).isEqualTo("done");
    }

    private Process worker(Path folder) throws IOException {
        ProcessBuilder process = new ProcessBuilder(
                "/usr/bin/python3", "../examples/worker.py", console.address().toString(), "mail");
        process.environment().put("LEASE", "5");
        return process.redirectErrorStream(true)
                .redirectOutput(folder.resolve("said").toFile())
                .start();
    }

    private static String said(Path folder) throws IOException {
        return Files.readString(folder.resolve("said"));
    }

    @Test
    void job_completedWithANextStage_goesOnAsThat() {
        String id = add("{\"n\": 1.10}");
        JsonNode claim = claim();
        for (String[] each : new String[][] {
            {", \"next\": {\"queue\": \"night\"}", "/next/kind"},
            {", \"next\": {\"kind\": \"k\", \"colour\": 1}", "/next/colour"},
            {", \"next\": {\"kind\": 7}", "/next/kind"},
            {", \"next\": {\"kind\": \"k\"}, \"result\": 1", "/result"}
        }) {
            ApiClient.Answer refused = say("complete", claim, each[0]);
            assertThat(refused.status()).as(each[0]).isEqualTo(422);
            assertThat(refused.json().at("/errors/0/pointer").asText()).isEqualTo(each[1]);
        }
        assertThat(say("complete", claim, ", \"next\": {\"kind\": \"\"}").status())
                .isEqualTo(422);
        String next = ", \"next\": {\"queue\": \"night\", \"kind\": \"print\", \"payload\": [2.20]}";
        assertThat(say("complete", claim, next).status()).isEqualTo(200);
        assertThat(say("complete", claim, next).status()).isEqualTo(200);
        assertThat(say("complete", claim, next.replace("2.20", "3")).status()).isEqualTo(409);
        ApiClient.Answer job = api.get("/jobs/" + id);
        assertThat(job.text("state") + " " + job.text("queue") + " " + job.text("kind"))
                .isEqualTo("waiting night print");
        assertThat(job.response().body()).contains("\"payload\":[2.20]");
    }

    @Test
    void claim_hasWhatTheJobWasAddedWith() {
        api.post(
                "/jobs",
                "{\"kind\": \"mail\", \"attempts\": 2, \"tags\": [\"a\"], \"metadata\": {\"n\": 1}, \"run_at\": \"2026-01-02T03:04:05Z\"}");
        JsonNode claim = claim();
        assertThat(claim.path("run_at").asText()).isEqualTo("2026-01-02T03:04:05Z");
        assertThat(claim.path("tags").toString() + claim.path("metadata")).isEqualTo("[\"a\"]{\"n\":1}");
        assertThat(claim.path("last_attempt").asBoolean(true)).isFalse();
        say("fail", claim, ", \"error\": \"no\", \"delay\": \"PT0S\"");
        assertThat(claim().path("last_attempt").asBoolean()).isTrue();
    }
}
