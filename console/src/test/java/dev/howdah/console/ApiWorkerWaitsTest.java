package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.TestDatabase;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Steps, children and waits of a worker, by bare requests. */
class ApiWorkerWaitsTest extends ApiTestBase {
    private String token = "";
    private int number;

    ApiWorkerWaitsTest(TestDatabase database) {
        super(database);
    }

    @BeforeEach
    void none() {
        number = 0;
    }

    private String add(String kind, String payload) {
        return api.post("/jobs", "{\"kind\": \"" + kind + "\", \"payload\": " + payload + "}")
                .text("id");
    }

    private JsonNode claim(String kind) {
        ApiClient.Answer answer =
                api.post("/workers/claim", "{\"kinds\": [\"" + kind + "\"], \"worker\": \"w\", \"wait\": 20}");
        assertThat(answer.status()).isEqualTo(200);
        JsonNode claim = answer.json().path("claims").path(0);
        token = claim.path("token").asText();
        number = 0;
        return claim;
    }

    private ApiClient.Answer say(String route, String fields) {
        return api.post("/workers/" + route, "{\"token\": \"" + token + "\"" + fields + "}");
    }

    private ApiClient.Answer call(String route, String fields) {
        return say(route, ", \"number\": " + ++number + ", " + fields);
    }

    private JsonNode called(String route, String fields) {
        ApiClient.Answer answer = call(route, fields);
        assertThat(answer.status())
                .as("%s %s: %s", route, fields, answer.json())
                .isEqualTo(200);
        return answer.json();
    }

    private JsonNode job(String id) {
        return api.get("/jobs/" + id).json();
    }

    private void awaitState(String id, String state) {
        await().atMost(Patience.LIMIT)
                .until(() -> job(id).path("state").asText().equals(state));
    }

    @Test
    void job_thatWaitsForASignal_isClaimedAgain_andItsStepIsRecorded() {
        String id = add("order", "17");
        claim("order");
        assertThat(called("step", "\"name\": \"charge\"").path("done").asBoolean(true))
                .isFalse();
        called("record", "\"name\": \"charge\", \"result\": {\"n\": 1.5}");
        // The same again, as after a lost answer.
        assertThat(say("record", ", \"number\": 2, \"name\": \"charge\", \"result\": {\"n\": 1.5}")
                        .status())
                .isEqualTo(200);
        assertThat(say("record", ", \"number\": 2, \"name\": \"other\"").status())
                .isEqualTo(409);
        String wait = "\"type\": \"signal\", \"name\": \"approval\", \"at_most\": \"P7D\"";
        assertThat(called("suspend", wait).path("suspended").asBoolean()).isTrue();
        assertThat(say("suspend", ", \"number\": 3, " + wait)
                        .json()
                        .path("suspended")
                        .asBoolean())
                .isTrue();
        assertThat(say("heartbeat", "").status()).isEqualTo(410);
        assertThat(call("step", "\"name\": \"late\"").status()).isEqualTo(410);
        awaitState(id, "suspended");
        api.post("/jobs/" + id + "/signal", "{\"name\": \"approval\", \"payload\": {\"ok\": true}}");

        assertThat(claim("order").path("attempt").asInt()).isEqualTo(1);
        assertThat(called("step", "\"name\": \"charge\"").toString())
                .isEqualTo("{\"suspended\":false,\"done\":true,\"result\":{\"n\":1.5}}");
        JsonNode resumed = called("suspend", wait);
        assertThat(resumed.path("suspended").asBoolean(true)).isFalse();
        assertThat(resumed.at("/signal/payload").toString()).isEqualTo("{\"ok\":true}");
        assertThat(say("complete", ", \"result\": \"shipped\"").status()).isEqualTo(200);
        assertThat(job(id).path("result").asText()).isEqualTo("shipped");
    }

    @Test
    void newStep_beforeWhatIsRecorded_isADivergence_andNoAttempt() {
        String id = add("renamed", "1");
        claim("renamed");
        called("step", "\"name\": \"charge\"");
        called("record", "\"name\": \"charge\"");
        called("suspend", "\"type\": \"signal\", \"name\": \"go\", \"at_most\": \"P1D\"");
        awaitState(id, "suspended");
        api.post("/jobs/" + id + "/signal", "{\"name\": \"go\"}");
        claim("renamed");
        assertThat(called("step", "\"name\": \"charge card\"").path("suspended").asBoolean())
                .isTrue();
        awaitState(id, "suspended");
        assertThat(database.value("SELECT more->'wait'->>'type' FROM howdah_internal.job WHERE id = " + id))
                .isEqualTo("diverged");
    }

    @Test
    void changesOfTheCode_thatTheWorkerSays_letTheJobGoOn() {
        String id = add("changed", "1");
        claim("changed");
        assertThat(called("change", "\"type\": \"patched\", \"name\": \"tax\"")
                        .path("patched")
                        .asBoolean())
                .isTrue();
        for (String step : new String[] {"charge", "mail"}) {
            called("step", "\"name\": \"" + step + "\"");
            called("record", "\"name\": \"" + step + "\", \"result\": \"" + step + " 1\"");
        }
        called("suspend", "\"type\": \"signal\", \"name\": \"go\", \"at_most\": \"P1D\"");
        awaitState(id, "suspended");
        api.post("/jobs/" + id + "/signal", "{\"name\": \"go\"}");
        claim("changed");
        called("change", "\"type\": \"renamed\", \"name\": \"charge card\", \"old\": \"charge\"");
        called("change", "\"type\": \"retired\", \"name\": \"mail\"");
        assertThat(called("change", "\"type\": \"patched\", \"name\": \"tax\"")
                        .path("patched")
                        .asBoolean())
                .isTrue();
        assertThat(called("change", "\"type\": \"patched\", \"name\": \"later\"")
                        .path("patched")
                        .asBoolean(true))
                .isFalse();
        assertThat(called("step", "\"name\": \"charge card\"").path("result").asText())
                .isEqualTo("charge 1");
        assertThat(called("suspend", "\"type\": \"signal\", \"name\": \"go\", \"at_most\": \"P1D\"")
                        .has("signal"))
                .isTrue();
        assertThat(call("change", "\"type\": \"moved\", \"name\": \"x\"").status())
                .isEqualTo(422);
        assertThat(call("change", "\"type\": \"renamed\", \"name\": \"x\"").status())
                .isEqualTo(422);
        assertThat(say("complete", "").status()).isEqualTo(200);
    }

    @Test
    void firstOfSeveral_isAnEventOrAnotherJob() {
        String other = add("slow", "1");
        String id = add("any", "1");
        claim("any");
        String any = "\"type\": \"any\", \"name\": \"first\", \"any\": [{\"event\": \"came\", \"key\": \"7\","
                + " \"containing\": {\"a\": 1}}, {\"job\": \"" + other + "\"}]";
        called("suspend", any);
        awaitState(id, "suspended");
        api.post("/events/came/emit", "{\"key\": \"7\", \"payload\": {\"a\": 1, \"b\": 2}}");
        claim("any");
        JsonNode first = called("suspend", any);
        assertThat(first.path("first").asInt(-1)).isEqualTo(0);
        assertThat(first.at("/signal/payload/b").asInt()).isEqualTo(2);
        called("suspend", any);
        claim("slow");
        say("complete", ", \"result\": 9");
        claim("any");
        called("suspend", any);
        JsonNode second = called("suspend", any);
        assertThat(second.path("first").asInt()).isEqualTo(1);
        assertThat(second.path("result").asInt()).isEqualTo(9);
        say("complete", "");
    }

    @Test
    void failureOfAStep_thatItsHandlerHasCaught_isRecorded() {
        String id = add("card", "1");
        claim("card");
        called("step", "\"name\": \"card\"");
        called("record", "\"name\": \"card\", \"error\": \"IOError: refused\"");
        called("step", "\"name\": \"invoice\"");
        called("record", "\"name\": \"invoice\"");
        called("suspend", "\"type\": \"sleep\", \"name\": \"pause\", \"duration\": \"PT1H\"");
        awaitState(id, "suspended");
        api.post("/jobs/" + id + "/run-now", "{}");
        claim("card");
        JsonNode failed = called("step", "\"name\": \"card\"");
        assertThat(failed.path("done").asBoolean()).isTrue();
        assertThat(failed.at("/failed/message").asText()).isEqualTo("IOError: refused");
        called("step", "\"name\": \"invoice\"");
        assertThat(called("suspend", "\"type\": \"sleep\", \"name\": \"pause\", \"duration\": \"PT1H\"")
                        .path("suspended")
                        .asBoolean(true))
                .isFalse();
        assertThat(say("complete", "").status()).isEqualTo(200);
    }

    @Test
    void children_areAddedOnce_andOneThatFailsEndsItsParent() {
        String id = add("parent", "1");
        claim("parent");
        String add = "\"name\": \"parcel\", \"jobs\": [{\"kind\": \"parcel\", \"payload\": 1},"
                + " {\"kind\": \"parcel\", \"payload\": 2}]";
        JsonNode children = called("child", add).path("children");
        assertThat(children).hasSize(2);
        assertThat(called("suspend", "\"type\": \"children\", \"children\": " + children)
                        .path("suspended")
                        .asBoolean())
                .isTrue();
        claim("parcel");
        say("complete", ", \"result\": 100");
        claim("parcel");
        say("fail", ", \"error\": \"lost\", \"retry\": false");
        assertThat(claim("parent").path("id").asText()).isEqualTo(id);
        assertThat(called("child", add).path("children")).isEqualTo(children);
        called("suspend", "\"type\": \"children\", \"children\": " + children);
        assertThat(called("suspend", "\"type\": \"child\", \"children\": [" + children.get(0) + "]")
                        .path("result")
                        .asInt())
                .isEqualTo(100);
        JsonNode failed = called("suspend", "\"type\": \"child\", \"children\": [" + children.get(1) + "]");
        assertThat(failed.at("/failed/type").asText()).isEqualTo("ChildFailedException");
        assertThat(failed.at("/failed/state").asText()).isEqualTo("failed");
        assertThat(say("fail", ", \"error\": \"any\", \"retry\": false, \"cause\": " + number)
                        .status())
                .isEqualTo(200);
        assertThat(job(id).path("state").asText()).isEqualTo("failed");
        assertThat(job(id).path("error").asText()).contains("lost");
        // What it failed by is not recorded any more when it is retried, and the child is brought back.
        api.post("/jobs/" + id + "/retry", "{}");
        claim("parcel");
        say("complete", ", \"result\": 200");
        claim("parent");
        called("child", add);
        assertThat(called("suspend", "\"type\": \"child\", \"children\": [" + children.get(1) + "]")
                        .path("result")
                        .asInt())
                .isEqualTo(200);
        say("complete", "");
    }

    @Test
    void firstOfSeveral_eventsAndOtherJobs_areWaitedFor() {
        String id = add("many", "1");
        claim("many");
        String any = "\"type\": \"any\", \"name\": \"first\", \"any\": [{\"signal\": \"paid\"}, {\"signal\":"
                + " \"cancelled\"}], \"at_most\": \"P3D\"";
        called("suspend", any);
        awaitState(id, "suspended");
        api.post("/jobs/" + id + "/signal", "{\"name\": \"cancelled\", \"payload\": 7}");
        claim("many");
        JsonNode first = called("suspend", any);
        assertThat(first.path("first").asInt()).isEqualTo(1);
        assertThat(first.at("/signal/payload").asInt()).isEqualTo(7);
        String event = "\"type\": \"event\", \"name\": \"arrived\", \"key\": \"7\", \"containing\": {\"a\": 1},"
                + " \"at_most\": \"P1D\"";
        assertThat(called("suspend", event).path("suspended").asBoolean()).isTrue();
        awaitState(id, "suspended");
        api.post("/events/arrived/emit", "{\"key\": \"7\", \"payload\": {\"a\": 1, \"b\": 2}}");
        claim("many");
        called("suspend", any);
        assertThat(called("suspend", event).at("/signal/payload/b").asInt()).isEqualTo(2);
        String other = add("other", "1");
        assertThat(called(
                                "suspend",
                                "\"type\": \"job\", \"name\": \"o\", \"job\": \"" + other + "\", \"at_most\": \"PT0S\"")
                        .at("/failed/type")
                        .asText())
                .isEqualTo("WaitTimeoutException");
        assertThat(called("suspend", "\"type\": \"continue\", \"payload\": 2")
                        .path("suspended")
                        .asBoolean())
                .isTrue();
        assertThat(claim("many").path("payload").asInt()).isEqualTo(2);
        say("complete", "");
    }

    @Test
    void jobOfAVersion_isGivenToWorkersThatListIt() {
        String id = add("versioned", "1");
        String claim = "{\"kinds\": [\"versioned\"], \"wait\": %d, \"version\": \"%s\", \"also_runs\": [%s]}";
        token = api.post("/workers/claim", claim.formatted(20, "1", ""))
                .json()
                .at("/claims/0/token")
                .asText();
        number = 0;
        called("suspend", "\"type\": \"sleep\", \"name\": \"s\", \"duration\": \"PT1H\"");
        awaitState(id, "suspended");
        api.post("/jobs/" + id + "/run-now", "{}");
        await().atMost(Patience.LIMIT).until(() -> {
            assertThat(api.post("/workers/claim", claim.formatted(1, "3", ""))
                            .json()
                            .path("claims"))
                    .isEmpty();
            return api.get("/jobs/" + id + "/why").json().toString().contains("no-version");
        });
        api.post("/jobs/" + id + "/run-now", "{}");
        assertThat(api.post("/workers/claim", claim.formatted(20, "2", "\"1\""))
                        .json()
                        .at("/claims/0/id")
                        .asText())
                .isEqualTo(id);
        assertThat(api.post("/workers/claim", "{\"kinds\": [\"versioned\"], \"also_runs\": [\"1\"]}")
                        .status())
                .isEqualTo(422);
    }

    @Test
    void secret_isMadeInAStep_andSendsASignal() {
        String id = add("link", "1");
        claim("link");
        called("step", "\"name\": \"mail\"");
        String secret = called("token", "\"name\": \"ok\", \"keep\": \"P1D\"")
                .path("secret")
                .asText();
        called("record", "\"name\": \"mail\"");
        called("suspend", "\"type\": \"signal\", \"name\": \"ok\", \"at_most\": \"P1D\"");
        assertThat(api.post("/signals/" + secret, "{\"payload\": 3}").status()).isEqualTo(200);
        assertThat(claim("link").path("id").asText()).isEqualTo(id);
        called("step", "\"name\": \"mail\"");
        assertThat(called("suspend", "\"type\": \"signal\", \"name\": \"ok\", \"at_most\": \"P1D\"")
                        .at("/signal/sender")
                        .asText())
                .isEqualTo("signal-token");
        say("complete", "");
    }

    @Test
    void whatCannotBe_isRefused_andTheClaimStays() {
        add("wrong", "1");
        claim("wrong");
        assertThat(call("suspend", "\"type\": \"nap\", \"name\": \"x\"").status())
                .isEqualTo(422);
        assertThat(call("suspend", "\"type\": \"sleep\", \"name\": \"x\"").status())
                .isEqualTo(422);
        assertThat(call("suspend", "\"type\": \"sleep\", \"duration\": \"PT1H\"")
                        .status())
                .isEqualTo(422);
        assertThat(call("step", "\"name\": \"" + "x".repeat(201) + "\"").status())
                .isEqualTo(422);
        assertThat(call("child", "\"name\": \"c\", \"jobs\": []").status()).isEqualTo(422);
        assertThat(call("child", "\"name\": \"c\", \"jobs\": [{\"kind\": \"x\", \"key\": \"k\"}]")
                        .status())
                .isEqualTo(422);
        called("step", "\"name\": \"a\"");
        called("record", "\"name\": \"a\"");
        assertThat(call("step", "\"name\": \"a\"").status()).isEqualTo(409);
        assertThat(say("complete", "").status()).isEqualTo(200);
    }

    /** A claim of many calls keeps neither what they said nor all answers; the failure of one that is long over still ends the job. */
    @Test
    void callsThatAreLongOver_areNotKept_butTheFailureThatEndsTheJob() {
        String id = add("long", "1");
        claim("long");
        JsonNode child = called("child", "\"name\": \"part\", \"jobs\": [{\"kind\": \"part\"}]")
                .at("/children/0");
        called("suspend", "\"type\": \"children\", \"children\": [" + child + "]");
        claim("part");
        say("fail", ", \"error\": \"lost\", \"retry\": false");
        claim("long");
        called("child", "\"name\": \"part\", \"jobs\": [{\"kind\": \"part\"}]");
        called("suspend", "\"type\": \"children\", \"children\": [" + child + "]");
        JsonNode failed = called("suspend", "\"type\": \"child\", \"children\": [" + child + "]");
        assertThat(failed.at("/failed/type").asText()).isEqualTo("ChildFailedException");
        int cause = number;
        String again = "";
        for (int i = 0; i < 40; i++) {
            again = ", \"number\": " + (number + 1) + ", \"name\": \"step " + i + "\"";
            called("step", "\"name\": \"step " + i + "\"");
        }
        assertThat(say("step", again).json().path("done").asBoolean(true)).isFalse();
        ApiClient.Answer old = say("step", ", \"number\": " + (cause + 1) + ", \"name\": \"step 0\"");
        assertThat(old.status()).isEqualTo(409);
        assertThat(old.text("detail")).contains("call " + (cause + 1) + " of this claim was answered before");
        assertThat(call("step", "\"name\": \"one more\"").status()).isEqualTo(200);
        say("fail", ", \"error\": \"any\", \"retry\": false, \"cause\": " + cause);
        assertThat(job(id).path("error").asText()).contains("lost");
    }

    @Test
    void stepThatIsDone_andWhoseResultIsNotRecorded_failsTheJob() {
        String id = add("odd", "1");
        claim("odd");
        called("step", "\"name\": \"charge\"");
        called("record", "\"name\": \"charge\", \"result\": 1");
        say("release", "");
        database.execute("UPDATE howdah_internal.job_step SET result = NULL, problem = 'too odd' WHERE job = " + id);
        claim("odd");
        JsonNode known = called("step", "\"name\": \"charge\"");
        assertThat(known.has("done")).isFalse();
        assertThat(known.at("/failed/type").asText()).isEqualTo("FatalException");
        say("fail", ", \"error\": \"any\", \"retry\": false, \"cause\": 1");
        assertThat(job(id).path("state").asText()).isEqualTo("failed");
        assertThat(job(id).path("error").asText()).contains("too odd");
    }
}
