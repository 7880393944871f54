package dev.howdah.console;

import static dev.howdah.console.WorkerHost.NONE;
import static dev.howdah.console.WorkerHost.claims;
import static dev.howdah.console.WorkerHost.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.console.WorkerHost.Asked;
import dev.howdah.console.WorkerHost.Reply;
import dev.howdah.fixtures.ClientLanguage;
import dev.howdah.fixtures.Patience;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Each client library keeps the rules of a worker and of a producer, whatever happens to its requests. That the real API takes them is in
 * {@code ApiWorkersTest}.
 */
@Tag("long")
@ParameterizedClass
@EnumSource
class ClientConformanceTest {
    private static final String CLAIM = "workers/claim";
    private static final String HEARTBEAT = "workers/heartbeat";
    private static final String COMPLETE = "workers/complete";
    private static final String FAIL = "workers/fail";
    private static final String WITHDRAW = "workers/withdraw";
    private static final String RELEASE = "workers/release";
    private static final String LONG = "{\"seconds\": 600}";

    private static final String CANCEL = "workers/cancel";
    private static final String ENDS = "workers/end/batch";

    private final ClientLanguage language;
    private final WorkerHost host;

    ClientConformanceTest(ClientLanguage language, @TempDir Path folder) throws IOException {
        this.language = language;
        host = new WorkerHost(language, folder);
    }

    @BeforeEach
    void needsTheLanguage() {
        assumeThat(language.missing()).isEmpty();
    }

    @AfterEach
    void close() throws InterruptedException {
        host.close();
    }

    /** The first word of an error that a handler raises. */
    private static String errorOf(ClientLanguage language) {
        return language == ClientLanguage.PYTHON ? "ValueError" : "TypeError";
    }

    private Process start(String... environment) throws IOException {
        Map<String, String> variables = new HashMap<>();
        for (int i = 0; i < environment.length; i += 2) variables.put(environment[i], environment[i + 1]);
        return host.start(variables, "work", "mail");
    }

    private static int exitCode(Process process) throws InterruptedException {
        assertThat(process.waitFor(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
        return process.exitValue();
    }

    @Test // rule 1
    void textsAndNumbers_areExact_andWhatCannotBeStoredIsNotSent() throws IOException {
        String payload = "{\"n\":1.10,\"digits\":12345678901234567890.123456789012345678901,\"text\":\"ä𝄞\"}";
        host.give(job(1, payload));
        host.give(job(2, "{\"error\": \"a\\u0000b\\ud800\"}"));
        host.give(job(3, "\"\\u0000\""));
        host.give(job(4, "\"\\ud800\""));
        start("HOWDAH_TOKEN", "hd_secret");
        Asked complete = host.awaitAsked(COMPLETE, 0);
        String seen = language == ClientLanguage.PYTHON
                ? payload
                : "{\"n\":1.1,\"digits\":12345678901234567000,\"text\":\"ä𝄞\"}";
        assertThat(complete.body()).isEqualTo("{\"token\":\"t1\",\"result\":{\"seen\":" + seen + "}}");
        assertThat(complete.authorization()).isEqualTo("Bearer hd_secret");
        assertThat(host.awaitAsked(FAIL, 0).json().path("error").asText()).startsWith(errorOf(language) + ": a\ufffdb");
        for (int number = 1; number <= 2; number++) {
            Asked refused = host.awaitAsked(FAIL, number);
            assertThat(refused.json().path("error").asText()).startsWith("its result is no JSON: ");
            assertThat(refused.json().path("retry").asBoolean(true)).isFalse();
        }
        assertThat(host.asked(COMPLETE)).hasSize(1);
    }

    @Test // rules 2, 12: by the type, not the title
    void tablesThatAreMissing_areSaidWithTheCommand_andAskedForEachTenSeconds() throws IOException {
        host.once(CLAIM, Reply.problem(409, "not-installed"));
        start();
        host.awaitSaid("howdah job install");
        Asked first = host.awaitAsked(CLAIM, 0);
        Asked second = host.awaitAsked(CLAIM, 1);
        assertThat(second.at() - first.at()).isGreaterThan(9_000_000_000L);
        assertThat(second.key()).isNotEqualTo(first.key());
    }

    @Test // rule 3
    void claim_isForAllKindsAndAsManyJobsAsThereAreHands() throws IOException {
        host.give(job(1, LONG, 3), job(2, LONG, 3));
        host.start(Map.of("HANDS", "3"), "work", "mail,print", "default,night");
        Asked first = host.awaitAsked(CLAIM, 0);
        assertThat(first.json().path("kinds").toString() + first.json().path("queues"))
                .isEqualTo("[\"mail\",\"print\"][\"default\",\"night\"]");
        assertThat(first.json().path("max").asInt()).isEqualTo(3);
        assertThat(first.json().path("wait").asInt()).isBetween(5, 20);
        assertThat(host.awaitAsked(CLAIM, 1).json().path("max").asInt()).isEqualTo(1);
        // An empty list is asked again, but not in the same moment.
        assertThat(host.awaitAsked(CLAIM, 2).at() - host.asked(CLAIM).get(1).at())
                .isGreaterThan(50_000_000);
        host.give(job(3, LONG));
        host.awaitSaid("began 3");
        int claims = host.asked(CLAIM).size();
        host.awaitAsked(HEARTBEAT, 0);
        assertThat(host.asked(CLAIM)).hasSize(claims);
    }

    @Test // rule 3
    void claimWithoutAnAnswer_isAskedAgainWithItsKey_andAfterARefusalWithAnother() throws IOException {
        host.once(CLAIM, NONE);
        host.once(CLAIM, Reply.problem(503, "unavailable"));
        host.once(CLAIM, new Reply(429, "<html>", "1"));
        host.once(CLAIM, new Reply(200, "{\"claims\": [", null));
        host.once(CLAIM, Reply.problem(422, "invalid"));
        start();
        host.awaitAsked(CLAIM, 6);
        List<Asked> claims = host.asked(CLAIM);
        assertThat(claims.subList(0, 5))
                .extracting(Asked::key)
                .containsOnly(claims.get(0).key());
        assertThat(claims.subList(0, 5))
                .extracting(Asked::body)
                .containsOnly(claims.get(0).body());
        assertThat(claims.get(3).at() - claims.get(2).at()).isGreaterThan(1_000_000_000L);
        assertThat(List.of(claims.get(0), claims.get(5), claims.get(6)))
                .extracting(Asked::key)
                .doesNotHaveDuplicates();
    }

    @Test // rule 4
    void lease_isKeptByHeartbeats_whateverTheHandlerDoes() throws IOException {
        host.usually(HEARTBEAT, () -> Reply.ok("{\"cancel\": false, \"lease\": 1, \"later\": 1}"));
        host.give(job(1, LONG, 1));
        start();
        host.awaitAsked(HEARTBEAT, 9);
        List<Asked> beats = host.asked(HEARTBEAT);
        assertThat(beats.get(9).at() - beats.get(0).at()).isGreaterThan(2_500_000_000L);
        assertThat(host.said()).contains("began 1").doesNotContain("lost");
    }

    @Test // rule 4
    void jobThatIsLost_isStopped_andNothingMoreIsSaidOfIt() throws IOException {
        host.usually(HEARTBEAT, () -> NONE);
        host.once(HEARTBEAT, Reply.problem(410, "claim-lost"));
        host.give(job(1, LONG, 1));
        host.give(job(2, LONG, 1));
        host.give(job(3, "1"));
        start();
        // The second one had no heartbeat for as long as its lease.
        host.awaitSaid("ended 3");
        assertThat(host.said()).contains("lost 1", "lost 2");
        assertThat(host.asked(COMPLETE)).hasSize(1);
        assertThat(host.asked(FAIL)).isEmpty();
        assertThat(host.asked(RELEASE)).isEmpty();
    }

    @Test // rule 4: such as in a program that was frozen
    void jobWhoseLeaseMayBeOver_beginsAfterAHeartbeat() throws IOException {
        host.usually(HEARTBEAT, () -> Reply.problem(410, "claim-lost"));
        host.once(HEARTBEAT, Reply.ok("{\"cancel\": false, \"lease\": 30}"));
        host.once(CLAIM, () -> {
            await().pollDelay(Duration.ofMillis(1_200)).until(() -> true);
            return claims(job(1, "1", 1), job(2, "1", 1));
        });
        start("HANDS", "2");
        host.awaitSaid("lost");
        host.awaitSaid("ended");
        assertThat(host.asked(COMPLETE)).hasSize(1);
        assertThat(host.asked(HEARTBEAT)).hasSizeGreaterThanOrEqualTo(2);
    }

    @Test // rule 5
    void jobThatIsCancelled_endsSo_andDoesNotGoBack() throws IOException {
        host.usually(HEARTBEAT, () -> Reply.ok("{\"cancel\": true, \"stop\": \"cancelled\", \"lease\": 1}"));
        host.give(job(1, LONG, 1));
        start();
        assertThat(host.awaitAsked(CANCEL, 0).json().path("error").asText()).isEqualTo("Stopped: cancelled");
        host.awaitSaid("ended 1 cancel");
        assertThat(host.asked(FAIL)).isEmpty();
        assertThat(host.asked(RELEASE)).isEmpty();
    }

    @Test // rule 6
    void end_isSaidInTheSameBytesUntilItIsAnswered() throws IOException {
        host.once(COMPLETE, NONE);
        host.once(COMPLETE, Reply.problem(503, "not-written"));
        host.once(COMPLETE, new Reply(429, "", "1"));
        host.give(job(1, "1"));
        start();
        host.awaitSaid("ended 1 complete");
        assertThat(host.asked(COMPLETE)).hasSize(4);
        assertThat(host.asked(COMPLETE))
                .extracting(Asked::body)
                .containsOnly("{\"token\":\"t1\",\"result\":{\"seen\":1}}");
        assertThat(host.asked(COMPLETE)).extracting(Asked::key).containsOnlyNulls();
    }

    @Test // rule 6
    void endThatIsRefused_isSaidOfItsJobAlone() throws IOException {
        for (int status : new int[] {410, 409, 413, 422}) host.once(COMPLETE, Reply.problem(status, "any"));
        for (int id = 1; id <= 4; id++) host.give(job(id, "1"));
        host.give(job(5, "{\"error\": \"" + "x".repeat(20_000) + "\"}"));
        start();
        host.awaitAsked(FAIL, 2);
        Map<String, JsonNode> fails = host.asked(FAIL).stream()
                .map(Asked::json)
                .collect(Collectors.toMap(each -> each.path("token").asText(), each -> each));
        for (String token : List.of("t3", "t4")) {
            assertThat(Objects.requireNonNull(fails.get(token)).path("error").asText())
                    .startsWith("its result was refused: 4");
            assertThat(Objects.requireNonNull(fails.get(token)).path("retry").asBoolean(true))
                    .isFalse();
        }
        assertThat(Objects.requireNonNull(fails.get("t5")).path("error").asText())
                .hasSize(8_000);
        host.awaitAsked(CLAIM, 6);
        host.awaitSaid("lost 1");
        host.awaitSaid("lost 2");
    }

    @Test // rule 6
    void failThatIsRefused_isSaidOnceMoreInOtherWords() throws IOException {
        host.once(FAIL, Reply.problem(422, "invalid"));
        host.once(FAIL, Reply.problem(422, "invalid"));
        host.give(job(1, "{\"error\": \"x\"}"));
        host.give(job(2, "1"));
        start();
        assertThat(host.awaitAsked(FAIL, 1).json().path("error").asText()).startsWith("its error was refused: 422");
        host.awaitSaid("ended 2");
        assertThat(host.asked(FAIL)).hasSize(2);
    }

    @Test // rule 6
    void tokenThatIsRefused_stopsTheWorker() throws IOException, InterruptedException {
        for (int status : new int[] {401, 403}) {
            host.usually(CLAIM, () -> Reply.problem(status, "unauthenticated"));
            assertThat(exitCode(start())).isEqualTo(1);
            assertThat(host.said()).contains(status + " unauthenticated");
        }
    }

    @Test // rule 6
    void endsThatComeTogether_areOneRequest_andSoAreHeartbeats() throws IOException {
        CountDownLatch first = new CountDownLatch(1);
        host.once(COMPLETE, () -> {
            await().atMost(Patience.LIMIT).until(() -> host.said().contains("began 9"));
            first.countDown();
            return Reply.ok("{\"id\": \"1\"}");
        });
        host.usually(HEARTBEAT, () -> Reply.ok("{\"cancel\": false, \"lease\": 1}"));
        host.give(IntStream.rangeClosed(1, 9).mapToObj(id -> job(id, "1", 1)).toArray(String[]::new));
        host.give(job(10, LONG, 1), job(11, LONG, 1), job(12, LONG, 1));
        start("HANDS", "9");
        host.awaitSaid("ended 9");
        host.awaitAsked(COMPLETE, 8);
        assertThat(host.asked(ENDS)).hasSizeLessThan(6);
        await().atMost(Patience.LIMIT)
                .until(() -> host.asked("workers/heartbeat/batch").stream()
                        .anyMatch(each -> each.json().path("jobs").size() == 3));
    }

    @Test // rule 6
    void endsThatAreRefusedTogether_areSaidAgainWithoutTheWrongOne() throws IOException {
        host.once(ENDS, NONE);
        host.once(
                ENDS,
                new Reply(
                        422,
                        "{\"type\": \"urn:howdah:problem:invalid-field\", \"status\": 422,"
                                + " \"errors\": [{\"pointer\": \"/jobs/0\", \"detail\": \"any\"}]}",
                        null));
        host.give(job(1, "1"), job(2, "1"));
        start("HANDS", "2");
        // Which of them is the first of a request is chance.
        host.awaitSaid(" fail");
        host.awaitSaid(" complete");
        assertThat(host.asked(FAIL).get(0).json().path("error").asText()).startsWith("its result was refused: 422");
    }

    @Test // rule 7
    void error_isItsTypeAndMessageAndThenTheStack_andIsNotRepeatedWhereThatWouldNotHelp() throws IOException {
        host.give(job(1, "{\"error\": \"boom\"}"));
        host.give(job(2, "{\"seconds\": \"many\"}"));
        start();
        Asked fails = host.awaitAsked(FAIL, 0);
        assertThat(fails.json().path("error").asText())
                .startsWith(errorOf(language) + ": boom\n")
                .contains("\n" + (language == ClientLanguage.PYTHON ? "Traceback" : "    at "));
        assertThat(fails.json().path("retry").asBoolean(true)).isTrue();
        Asked fatal = host.awaitAsked(FAIL, 1);
        assertThat(fatal.json().path("error").asText()).startsWith("Fatal: seconds has to be a number\n");
        assertThat(fatal.json().path("retry").asBoolean(true)).isFalse();
        assertThat(fails.json().has("delay") || fatal.json().has("delay")).isFalse();
    }

    @Test // rule 8
    void jobThatTakesTooLong_isStopped_andTriedAgain() throws IOException {
        host.give(job(1, LONG));
        start("TIMEOUT", "0.3");
        Asked fails = host.awaitAsked(FAIL, 0);
        assertThat(fails.json().path("error").asText()).isEqualTo("Stopped: timeout");
        assertThat(fails.json().path("retry").asBoolean(true)).isTrue();
    }

    @Test // rule 9
    void workerThatIsStopped_withdrawsItsClaim_andGivesBackWhatThatBrings() throws IOException, InterruptedException {
        CountDownLatch withdrawn = new CountDownLatch(1);
        host.once(WITHDRAW, NONE);
        host.once(WITHDRAW, () -> {
            withdrawn.countDown();
            return Reply.ok("{\"withdrawn\": true}");
        });
        host.once(CLAIM, () -> {
            try {
                return withdrawn.await(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS)
                        ? claims(job(1, "1"))
                        : Reply.problem(500, "late");
            } catch (InterruptedException e) {
                return NONE;
            }
        });
        Process worker = start();
        String key = host.awaitAsked(CLAIM, 0).key();
        worker.destroy();
        assertThat(exitCode(worker)).isZero();
        assertThat(host.asked(CLAIM)).hasSize(1);
        assertThat(host.asked(WITHDRAW))
                .hasSize(2)
                .allSatisfy(each -> assertThat(each.body()).isEqualTo("{\"key\":\"" + key + "\"}"));
        assertThat(host.asked(RELEASE)).extracting(Asked::body).containsExactly("{\"token\":\"t1\"}");
        assertThat(host.said()).doesNotContain("began");
    }

    @Test // rule 9
    void workerThatIsStopped_waitsForItsJobs_andGivesBackThoseThatDoNotEnd() throws IOException, InterruptedException {
        host.usually(HEARTBEAT, () -> Reply.ok("{\"cancel\": false, \"lease\": 1}"));
        host.give(job(1, LONG, 1));
        Process worker = start("GRACE", "2");
        host.awaitSaid("began 1");
        int beats = host.asked(HEARTBEAT).size();
        worker.destroy();
        assertThat(exitCode(worker)).isZero();
        assertThat(host.asked(HEARTBEAT).size() - beats).isGreaterThanOrEqualTo(3);
        assertThat(host.asked(RELEASE)).hasSize(1);
        assertThat(host.asked(FAIL)).isEmpty();
    }

    @Test // rules 5, 9
    void workerThatIsStopped_givesNoJobBackThatWasCancelled() throws IOException, InterruptedException {
        host.usually(HEARTBEAT, () -> Reply.ok("{\"cancel\": true, \"lease\": 1}"));
        host.give(job(1, LONG, 1));
        Process worker = start();
        host.awaitSaid("began 1");
        worker.destroy();
        assertThat(exitCode(worker)).isZero();
        assertThat(host.asked(CANCEL)).hasSize(1);
        assertThat(host.asked(RELEASE)).isEmpty();
    }

    @Test // rule 9
    void workerThatIsStoppedTwice_endsAtOnce() throws IOException, InterruptedException {
        host.give(job(1, LONG));
        Process worker = start("GRACE", "600");
        host.awaitSaid("began 1");
        await().atMost(Patience.LIMIT).until(() -> {
            worker.destroy();
            return !worker.isAlive();
        });
        assertThat(worker.exitValue()).isEqualTo(1);
        assertThat(host.asked(RELEASE)).isEmpty();
    }

    @Test // rule 10
    void job_hasANumberForEachAttempt_andAKeyForAllOfThem() throws IOException {
        host.give(job(7, "{\"key\": \"charge\"}"));
        start();
        host.awaitSaid("began 7 attempt 2 fencing token 97");
        assertThat(host.awaitAsked(COMPLETE, 0).json().path("result").asText()).isEqualTo("howdah-7-charge");
    }

    @Test
    void outcomes_haveTheFieldsOfTheirs() throws IOException {
        host.give(job(1, "{\"retry\": \"PT5M\"}"));
        host.give(job(2, "{\"snooze\": \"PT1H\"}"));
        host.give(job(3, "{\"cancel\": \"no longer wanted\"}"));
        start();
        host.awaitSaid("ended 3 cancel");
        JsonNode failed = host.asked(FAIL).get(0).json();
        assertThat(failed.path("delay").asText() + failed.path("retry")).isEqualTo("PT5Mtrue");
        assertThat(host.asked("workers/snooze").get(0).body()).isEqualTo("{\"token\":\"t2\",\"delay\":\"PT1H\"}");
        assertThat(host.asked(CANCEL).get(0).body()).isEqualTo("{\"token\":\"t3\",\"error\":\"no longer wanted\"}");
    }

    @Test
    void linesAndProgress_areToldWhileTheJobRuns_andBeforeItsEnd() throws IOException {
        host.give(job(1, "{\"log\": \"a\\u0000b\", \"key\": \"any\"}"));
        host.give(job(2, "{\"log\": \"c\", \"seconds\": 600}"));
        start();
        host.awaitAsked(HEARTBEAT, 1);
        assertThat(host.asked(HEARTBEAT))
                .extracting(each -> each.json().path("log").toString()
                        + each.json().path("progress").asDouble()
                        + each.json().path("message").asText())
                .containsExactly("[\"a\ufffdb\"]0.5half", "[\"c\"]0.5half");
        assertThat(host.awaitAsked(COMPLETE, 0).at())
                .isGreaterThan(host.asked(HEARTBEAT).get(0).at());
    }

    @Test
    void handlersThatAreAsynchronous_doManyJobsAtOnce() throws IOException, InterruptedException {
        host.give(IntStream.rangeClosed(1, 20)
                .mapToObj(id -> job(id, "1").replace("mail", "async"))
                .toArray(String[]::new));
        long begun = System.nanoTime();
        Process worker = host.start(Map.of("HANDS", "20"), "work", "async");
        host.awaitAsked(COMPLETE, 19);
        assertThat(System.nanoTime() - begun).isLessThan(20_000_000_000L);
        worker.destroy();
        assertThat(exitCode(worker)).isZero();
    }

    private String ran(String... words) throws IOException, InterruptedException {
        exitCode(host.start(Map.of(), words));
        return host.said().strip();
    }

    @Test // rule 11
    void add_isTheSameRequestUntilItIsAnswered() throws IOException, InterruptedException {
        host.once("jobs", NONE);
        host.once("jobs", Reply.problem(503, "unavailable"));
        host.once("jobs", Reply.ok("{\"id\": \"5\", \"added\": false}"));
        assertThat(ran("add", "mail", "{\"n\": 1.5}", "night")).isEqualTo("job 5 was there already");
        assertThat(host.asked("jobs")).hasSize(3);
        assertThat(host.asked("jobs"))
                .extracting(Asked::body)
                .containsOnly("{\"kind\":\"mail\",\"payload\":{\"n\":1.5},\"queue\":\"night\"}");
        assertThat(host.asked("jobs"))
                .extracting(Asked::key)
                .containsOnly(host.asked("jobs").get(0).key());
        assertThat(host.asked("jobs").get(0).key()).hasSize(36);
    }

    @Test // rule 11
    void jobsOfMany_areAddedByAThousand_eachRequestWithAKey() throws IOException, InterruptedException {
        host.once("jobs/batch", NONE);
        host.usually("jobs/batch", () -> {
            List<Asked> asked = host.asked("jobs/batch");
            int many = asked.get(asked.size() - 1).json().path("jobs").size();
            return Reply.ok("{\"jobs\": ["
                    + String.join(",", Collections.nCopies(many, "{\"id\": \"1\", \"added\": true}")) + "]}");
        });
        assertThat(ran("add-many", "mail", "1500")).isEqualTo("1500 jobs");
        assertThat(host.asked("jobs/batch"))
                .extracting(each -> each.json().path("jobs").size())
                .containsExactly(1_000, 1_000, 500);
        assertThat(host.asked("jobs/batch").stream().map(Asked::key).distinct()).hasSize(2);
    }

    @Test
    void jobIsWaitedFor_untilItHasEnded_orTheTimeIsOver() throws IOException, InterruptedException {
        String job = "{\"id\": \"5\", \"queue\": \"default\", \"kind\": \"mail\", \"state\": \"%s\"}";
        host.once("jobs/5", Reply.ok(job.formatted("waiting")));
        host.once("jobs/5", NONE);
        host.once("jobs/5", Reply.ok(job.formatted("running")));
        host.usually("jobs/5", () -> Reply.ok(job.formatted("done")));
        assertThat(ran("wait", "5", "600")).isEqualTo("job 5 is done");
        host.usually("jobs/5", () -> Reply.ok(job.formatted("retrying")));
        assertThat(ran("wait", "5", "0.1")).contains("TimeoutError");
    }

    @ParameterizedTest
    @CsvSource({
        "401, unauthenticated, NotAllowed", "403, forbidden, NotAllowed", "404, not-found, NotFound",
                "410, gone, NotFound",
        "409, conflict, Conflict", "409, not-installed, NotInstalled", "422, invalid-field, Invalid",
                "413, body-too-large, Invalid"
    })
    void whatIsRefused_isAnErrorOfItsOwnType(int status, String type, String error)
            throws IOException, InterruptedException {
        host.usually("jobs/5/cancel", () -> Reply.problem(status, type));
        assertThat(ran("cancel", "5")).contains(error + " " + status + " " + type + ": any");
        assertThat(host.asked("jobs/5/cancel")).hasSize(1);
    }

    @Test
    void change_withoutAnAnswer_isMadeOnce() throws IOException, InterruptedException {
        host.once("jobs/5/retry", NONE);
        assertThat(ran("retry", "5")).contains("NoAnswer");
        assertThat(host.asked("jobs/5/retry")).hasSize(1);
    }

    @Test // rule 12
    void jobThatGoesOnAsAnotherKind_hasANextAndNoResult() throws IOException {
        host.once(CLAIM, claims(job(1, "{\"next\": \"print\", \"payload\": [2.5]}")));
        start();
        assertThat(host.awaitAsked(COMPLETE, 0).body())
                .isEqualTo("{\"token\":\"t1\",\"next\":{\"kind\":\"print\",\"payload\":[2.5]}}");
    }
}
