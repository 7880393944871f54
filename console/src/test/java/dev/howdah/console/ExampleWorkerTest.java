package dev.howdah.console;

import static dev.howdah.console.WorkerHost.NONE;
import static dev.howdah.console.WorkerHost.claims;
import static dev.howdah.console.WorkerHost.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.console.WorkerHost.Asked;
import dev.howdah.console.WorkerHost.Reply;
import dev.howdah.fixtures.Patience;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example of a worker keeps the rules of a worker, whatever happens to its requests. That the real API takes them is in {@code ApiWorkersTest}. */
@Tag("long")
class ExampleWorkerTest {
    private static final String CLAIM = "workers/claim";
    private static final String HEARTBEAT = "workers/heartbeat";
    private static final String COMPLETE = "workers/complete";
    private static final String FAIL = "workers/fail";
    private static final String RELEASE = "workers/release";
    private static final String LONG = "{\"seconds\": 600}";

    private final WorkerHost host;

    ExampleWorkerTest(@TempDir Path folder) throws IOException {
        host = new WorkerHost(folder);
    }

    @BeforeEach
    void needsPython() {
        assumeThat(Path.of("/usr/bin/python3")).as("python3").exists();
    }

    @AfterEach
    void close() throws InterruptedException {
        host.close();
    }

    private Process start(String... environment) throws IOException {
        Map<String, String> variables = new HashMap<>();
        for (int i = 0; i < environment.length; i += 2) variables.put(environment[i], environment[i + 1]);
        return host.start(variables, "mail");
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
        assertThat(complete.body()).isEqualTo("{\"token\":\"t1\",\"result\":{\"seen\":" + payload + "}}");
        assertThat(complete.authorization()).isEqualTo("Bearer hd_secret");
        assertThat(host.awaitAsked(FAIL, 0).json().path("error").asText()).startsWith("ValueError: a\ufffdb?\n");
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
        host.start(Map.of("HANDS", "3"), "mail,print", "default,night");
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
    void jobThatIsCancelled_fails_andDoesNotGoBack() throws IOException {
        host.usually(HEARTBEAT, () -> Reply.ok("{\"cancel\": true, \"lease\": 1}"));
        host.give(job(1, LONG, 1));
        start();
        assertThat(host.awaitAsked(FAIL, 0).json().path("error").asText()).isEqualTo("Stopped: cancelled");
        assertThat(host.asked(FAIL).get(0).json().has("delay")).isFalse();
        host.awaitSaid("ended 1 fail");
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
        for (int number = 0; number < 2; number++) {
            Asked refused = host.awaitAsked(FAIL, number);
            assertThat(refused.json().path("error").asText()).startsWith("its result was refused: 4");
            assertThat(refused.json().path("retry").asBoolean(true)).isFalse();
        }
        assertThat(host.awaitAsked(FAIL, 2).json().path("error").asText()).hasSize(8_000);
        host.awaitAsked(CLAIM, 6);
        assertThat(host.said()).contains("lost 1", "lost 2");
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
    void completesOfOneClaim_areSaidAtTheSameTime() throws IOException {
        CountDownLatch both = new CountDownLatch(2);
        host.usually(COMPLETE, () -> {
            both.countDown();
            try {
                return both.await(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS)
                        ? Reply.ok("{\"id\": \"1\"}")
                        : Reply.problem(500, "alone");
            } catch (InterruptedException e) {
                return NONE;
            }
        });
        host.give(job(1, "1"), job(2, "1"));
        start("HANDS", "2");
        host.awaitSaid("ended 1 complete");
        host.awaitSaid("ended 2 complete");
    }

    @Test // rule 7
    void error_isItsTypeAndMessageAndThenTheStack_andIsNotRepeatedWhereThatWouldNotHelp() throws IOException {
        host.give(job(1, "{\"error\": \"boom\"}"));
        host.give(job(2, "{\"seconds\": \"many\"}"));
        start();
        Asked fails = host.awaitAsked(FAIL, 0);
        assertThat(fails.json().path("error").asText())
                .startsWith("ValueError: boom\nTraceback (most recent call last):\n");
        assertThat(fails.json().path("retry").asBoolean(true)).isTrue();
        Asked fatal = host.awaitAsked(FAIL, 1);
        assertThat(fatal.json().path("error").asText()).startsWith("Fatal: seconds has to be a number, not 'many'\n");
        assertThat(fatal.json().path("retry").asBoolean(true)).isFalse();
        assertThat(fails.json().has("delay") || fatal.json().has("delay")).isFalse();
    }

    @Test // rule 8
    void jobThatTakesTooLong_isStopped_andTriedAgain() throws IOException {
        host.give(job(1, LONG));
        start("TIMEOUT", "0.3");
        Asked fails = host.awaitAsked(FAIL, 0);
        assertThat(fails.json().path("error").asText()).isEqualTo("Stopped: its time was over");
        assertThat(fails.json().path("retry").asBoolean(true)).isTrue();
    }

    @Test // rule 9
    void workerThatIsStopped_givesBackWhatItsLastClaimBrings() throws IOException, InterruptedException {
        CountDownLatch told = new CountDownLatch(1);
        host.once(CLAIM, () -> {
            try {
                return told.await(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS) ? NONE : Reply.problem(500, "late");
            } catch (InterruptedException e) {
                return NONE;
            }
        });
        host.give(job(1, "1"));
        Process worker = start();
        host.awaitAsked(CLAIM, 0);
        worker.destroy();
        host.awaitSaid("stopping");
        told.countDown();
        assertThat(exitCode(worker)).isZero();
        assertThat(host.asked(CLAIM)).hasSize(2);
        assertThat(host.asked(CLAIM))
                .extracting(Asked::key)
                .containsOnly(host.asked(CLAIM).get(0).key());
        assertThat(host.asked(RELEASE)).extracting(Asked::body).containsExactly("{\"token\":\"t1\"}");
        assertThat(host.asked(COMPLETE)).isEmpty();
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
        assertThat(host.asked(FAIL)).hasSize(1);
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
    void job_hasANumberForEachAttempt_andAKeyForAllOfThem() throws IOException, InterruptedException {
        host.give(job(7, "1"));
        start();
        host.awaitSaid("began 7 attempt 2 fencing token 97");
        String claim =
                "dict(token='t', lease=30, id='7', kind='mail', payload=1, last_attempt=False, fencing_token='1'";
        Process keys = new ProcessBuilder(
                        "/usr/bin/python3",
                        "-Bc",
                        "import sys; sys.path.append('../examples'); import worker; print({worker.Job(None, " + claim
                                + ", attempt=n), 0).key('charge') for n in (1, 2)})")
                .redirectErrorStream(true)
                .start();
        assertThat(new String(keys.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo("{'howdah-7-charge'}\n");
    }

    @Test // rule 11
    void add_isTheSameRequestUntilItIsAnswered() throws IOException, InterruptedException {
        host.once("jobs", NONE);
        host.once("jobs", Reply.problem(503, "unavailable"));
        host.once("jobs", Reply.ok("{\"id\": \"5\", \"added\": false}"));
        assertThat(exitCode(host.start(Map.of(), "--add", "mail", "{\"n\": 1.10}", "night")))
                .isZero();
        assertThat(host.said()).isEqualTo("job 5 was there already\n");
        assertThat(host.asked("jobs")).hasSize(3);
        assertThat(host.asked("jobs"))
                .extracting(Asked::body)
                .containsOnly("{\"kind\":\"mail\",\"payload\":{\"n\":1.10},\"queue\":\"night\"}");
        assertThat(host.asked("jobs"))
                .extracting(Asked::key)
                .containsOnly(host.asked("jobs").get(0).key());
        assertThat(host.asked("jobs").get(0).key()).hasSize(36);
        host.once("jobs", Reply.problem(422, "invalid"));
        assertThat(exitCode(host.start(Map.of(), "--add", "mail", "1"))).isEqualTo(1);
    }

    @Test // rule 12
    void jobThatGoesOnAsAnotherKind_hasANextAndNoResult() throws IOException {
        host.once(CLAIM, claims(job(1, "{\"next\": \"print\", \"payload\": [2.20]}")));
        start();
        assertThat(host.awaitAsked(COMPLETE, 0).body())
                .isEqualTo("{\"token\":\"t1\",\"next\":{\"kind\":\"print\",\"payload\":[2.20]}}");
    }
}
