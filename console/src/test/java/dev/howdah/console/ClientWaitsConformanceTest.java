package dev.howdah.console;

import static dev.howdah.console.WorkerHost.NONE;
import static dev.howdah.console.WorkerHost.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.console.WorkerHost.Asked;
import dev.howdah.console.WorkerHost.Reply;
import dev.howdah.fixtures.ClientLanguage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Each client library keeps the rules of steps, children and waits, for handlers of both ways in which it calls them. That the real API takes them
 * is in {@code ApiWorkerWaitsTest}.
 */
@Tag("long")
@ParameterizedClass
@EnumSource
class ClientWaitsConformanceTest {
    private static final String STEP = "workers/step";
    private static final String RECORD = "workers/record";
    private static final String CHILD = "workers/child";
    private static final String SUSPEND = "workers/suspend";
    private static final String CHANGE = "workers/change";
    private static final String FAIL = "workers/fail";
    private static final String COMPLETE = "workers/complete";
    private static final String ORDER = "{\"order\": 7}";

    private final ClientLanguage language;
    private final WorkerHost host;

    ClientWaitsConformanceTest(ClientLanguage language, @TempDir Path folder) throws IOException {
        this.language = language;
        host = new WorkerHost(language, folder);
    }

    @BeforeEach
    void needsTheLanguage() {
        assumeThat(language.missing()).isEmpty();
        host.usually(STEP, () -> Reply.ok("{\"suspended\": false, \"done\": false, \"later\": 1}"));
        host.usually(RECORD, () -> Reply.ok("{\"suspended\": false}"));
        host.usually(
                CHILD,
                () -> Reply.ok("{\"suspended\": false, \"children\": [{\"name\": \"parcel\", \"number\": 1, \"id\":"
                        + " \"41\"}, {\"name\": \"parcel\", \"number\": 2, \"id\": \"42\"}]}"));
    }

    @AfterEach
    void close() throws InterruptedException {
        host.close();
    }

    private void start(String kind, String... jobs) throws IOException {
        host.give(List.of(jobs).stream()
                .map(each -> each.replace("\"kind\": \"mail\"", "\"kind\": \"" + kind + "\""))
                .toArray(String[]::new));
        host.start(Map.of("HANDS", "2"), "work", kind);
    }

    private static Reply known(String result) {
        return Reply.ok("{\"suspended\": false, \"done\": true, \"result\": " + result + "}");
    }

    private List<String> bodies(String path) {
        return host.asked(path).stream().map(Asked::body).toList();
    }

    @ParameterizedTest // rules 13 and 14
    @ValueSource(strings = {"mail", "async"})
    void job_thatWaits_hasNoEnd_andTellsNothingMore(String kind) throws IOException {
        host.once(RECORD, NONE);
        host.once(RECORD, Reply.problem(503, "not-written"));
        host.usually(SUSPEND, () -> Reply.ok("{\"suspended\": true}"));
        start(kind, job(1, ORDER));
        host.awaitSaid("suspended 1");
        assertThat(bodies(STEP))
                .containsExactly(
                        "{\"token\":\"t1\",\"number\":1,\"name\":\"charge\"}",
                        "{\"token\":\"t1\",\"number\":3,\"name\":\"card\"}",
                        "{\"token\":\"t1\",\"number\":5,\"name\":\"invoice\"}");
        String error = (language == ClientLanguage.PYTHON ? "ValueError" : "TypeError") + ": refused";
        assertThat(bodies(RECORD))
                .containsExactly(
                        "{\"token\":\"t1\",\"number\":2,\"name\":\"charge\",\"result\":{\"of\":7}}",
                        "{\"token\":\"t1\",\"number\":2,\"name\":\"charge\",\"result\":{\"of\":7}}",
                        "{\"token\":\"t1\",\"number\":2,\"name\":\"charge\",\"result\":{\"of\":7}}",
                        "{\"token\":\"t1\",\"number\":4,\"name\":\"card\",\"error\":\"" + error + "\"}",
                        "{\"token\":\"t1\",\"number\":6,\"name\":\"invoice\",\"result\":\"" + error + "\"}");
        assertThat(bodies(SUSPEND))
                .containsExactly(
                        "{\"token\":\"t1\",\"number\":7,\"type\":\"signal\",\"name\":\"approval\",\"at_most\":\"P7D\"}");
        // What was logged is told before the wait, which ends the claim: no heartbeat comes after it.
        assertThat(host.asked("workers/heartbeat")).hasSize(1);
        assertThat(host.asked("workers/heartbeat").get(0).at())
                .isLessThan(host.asked(SUSPEND).get(0).at());
        assertThat(host.asked(COMPLETE)).isEmpty();
        assertThat(host.asked(FAIL)).isEmpty();
        assertThat(host.asked("workers/release")).isEmpty();
        host.awaitAsked("workers/claim", 2);
    }

    @ParameterizedTest // rule 13
    @ValueSource(strings = {"mail", "async"})
    void job_thatIsResumed_doesNoStepAgain_andGoesOn(String kind) throws IOException {
        host.once(STEP, known("{\"of\": 8}"));
        host.once(
                STEP,
                Reply.ok("{\"suspended\": false, \"done\": true, \"failed\": {\"type\": \"StepFailed\", \"message\":"
                        + " \"E: no\"}}"));
        host.once(STEP, known("null"));
        host.once(
                SUSPEND,
                Reply.ok(
                        "{\"suspended\": false, \"signal\": {\"payload\": true, \"sender\": \"eve\", \"sent\": \"x\"}}"));
        host.once(SUSPEND, Reply.ok("{\"suspended\": false}"));
        host.once(SUSPEND, Reply.ok("{\"suspended\": false}"));
        host.once(SUSPEND, Reply.ok("{\"suspended\": false, \"result\": 1}"));
        host.once(SUSPEND, Reply.ok("{\"suspended\": false, \"result\": null}"));
        start(kind, job(1, ORDER));
        assertThat(host.awaitAsked(COMPLETE, 0).json().path("result").toString())
                .isEqualTo("[{\"of\":8},true,[1,null]]");
        assertThat(host.asked(RECORD)).isEmpty();
        JsonNode children = host.asked(CHILD).get(0).json();
        assertThat(children.path("jobs").toString())
                .isEqualTo("[{\"kind\":\"parcel\",\"payload\":0,\"queue\":\"default\"},"
                        + "{\"kind\":\"parcel\",\"payload\":1,\"queue\":\"default\"}]");
        assertThat(children.path("parent_end").asText()).isEqualTo("cancel");
        List<JsonNode> waits = host.asked(SUSPEND).stream().map(Asked::json).toList();
        assertThat(waits)
                .extracting(each -> each.path("type").asText())
                .containsExactly("signal", "children", "sleep", "child", "child");
        assertThat(waits.get(1).path("children")).hasSize(2);
        assertThat(waits.get(2).path("duration").asText()).isEqualTo("PT72H");
        assertThat(waits.get(4).at("/children/0").toString())
                .isEqualTo("{\"name\":\"parcel\",\"number\":2,\"id\":\"42\"}");
    }

    @ParameterizedTest // rule 15
    @ValueSource(strings = {"mail", "async"})
    void failureOfAChild_thatTheHandlerDoesNotCatch_isTheEndOfItsJob(String kind) throws IOException {
        host.usually(STEP, () -> known("null"));
        host.usually(
                SUSPEND,
                () -> Reply.ok("{\"suspended\": false, \"failed\": {\"type\": \"ChildFailedException\", \"message\":"
                        + " \"child 41 has failed\", \"child\": \"41\", \"state\": \"failed\"}}"));
        start(kind, job(1, ORDER));
        // The handler catches the first one, and not the second.
        JsonNode fails = host.awaitAsked(FAIL, 0).json();
        assertThat(fails.path("retry").asBoolean(true)).isFalse();
        assertThat(fails.path("cause").asInt())
                .isEqualTo(host.asked(SUSPEND).get(1).json().path("number").asInt());
        assertThat(fails.path("error").asText()).startsWith("ChildFailed: child 41 has failed");
    }

    @ParameterizedTest // rules 13 and 15
    @ValueSource(strings = {"mail", "async"})
    void stepThatIsDone_andWhoseResultIsNotRecorded_isNotDoneAgain(String kind) throws IOException {
        host.usually(
                STEP,
                () -> Reply.ok("{\"suspended\": false, \"failed\": {\"type\": \"FatalException\", \"message\":"
                        + " \"step charge was done in attempt 1\"}}"));
        start(kind, job(1, ORDER));
        JsonNode fails = host.awaitAsked(FAIL, 0).json();
        assertThat(fails.path("retry").asBoolean(true)).isFalse();
        assertThat(fails.path("cause").asInt()).isEqualTo(1);
        assertThat(fails.path("error").asText()).startsWith("Fatal: step charge was done in attempt 1");
        assertThat(host.asked(STEP)).hasSize(1);
        assertThat(host.asked(RECORD)).isEmpty();
    }

    @ParameterizedTest // rule 13
    @ValueSource(strings = {"mail", "async"})
    void changesOfTheCode_andTheFirstOfSeveral_areSaidAsTheApiTakesThem(String kind) throws IOException {
        host.once(CHANGE, Reply.ok("{\"suspended\": false}"));
        host.once(CHANGE, Reply.ok("{\"suspended\": false}"));
        host.once(CHANGE, Reply.ok("{\"suspended\": false, \"patched\": false}"));
        host.once(SUSPEND, Reply.ok("{\"suspended\": false, \"first\": 2, \"result\": 9}"));
        start(kind, job(1, "{\"changes\": 1}"));
        assertThat(host.awaitAsked(COMPLETE, 0).json().path("result").toString())
                .isEqualTo("[false,2,9]");
        assertThat(bodies(CHANGE))
                .containsExactly(
                        "{\"token\":\"t1\",\"number\":1,\"type\":\"renamed\",\"name\":\"charge card\",\"old\":\"charge\"}",
                        "{\"token\":\"t1\",\"number\":2,\"type\":\"retired\",\"name\":\"mail\"}",
                        "{\"token\":\"t1\",\"number\":3,\"type\":\"patched\",\"name\":\"2026-12 tax\"}");
        assertThat(bodies(SUSPEND))
                .containsExactly("{\"token\":\"t1\",\"number\":4,\"type\":\"any\",\"name\":\"first\",\"any\":"
                        + "[{\"signal\":\"paid\"},{\"event\":\"arrived\",\"key\":\"7\",\"containing\":{\"a\":1}},"
                        + "{\"job\":\"41\"}],\"at_most\":\"P3D\"}");
    }

    @ParameterizedTest // rules 3 and 13
    @ValueSource(strings = {"mail", "async"})
    void claimThatIsLost_doesNoStep(String kind) throws IOException {
        host.usually(STEP, () -> Reply.problem(410, "claim-lost"));
        start(kind, job(1, ORDER));
        host.awaitAsked("workers/claim", 1);
        assertThat(host.asked(RECORD)).isEmpty();
    }
}
