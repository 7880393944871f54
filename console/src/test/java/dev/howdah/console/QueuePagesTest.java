package dev.howdah.console;

import static dev.howdah.console.ConsoleFixtures.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.TestDatabase;
import dev.howdah.operations.store.TokenStore;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The page of a queue: its limits and its kinds by buttons; the same by the API. */
class QueuePagesTest extends ApiTestBase {
    private static final String MAIL = "/jobs/queues/mail";

    private ConsoleClient client;

    QueuePagesTest(TestDatabase database) {
        super(database);
    }

    @BeforeEach
    void open() {
        client = new ConsoleClient(console.address());
        database.execute("SELECT howdah.add('mail', 'send', 'null'::json)");
    }

    private String limits() {
        return String.valueOf(database.value("SELECT string_agg(concat_ws(' ', kind, group_name,"
                + " CASE WHEN each_group THEN 'each-group' END, CASE WHEN each_node THEN 'each-node' END, setting, value), '; '"
                + " ORDER BY setting, value, kind, group_name, each_group) FROM howdah.limits WHERE queue = 'mail'"));
    }

    private void set(String action, String form) {
        HttpResponse<String> answer = client.submit(MAIL, MAIL + "/" + action, form);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(303);
        assertThat(answer.headers().firstValue("Location")).hasValue(MAIL);
    }

    @Test
    void queue_withoutLimits_saysSoAndNamesNoNode() {
        assertThat(text(client.get(MAIL)))
                .contains("<strong>1</strong> <span>due</span>", "No living node does")
                .contains("each node takes as many of its jobs as it has workers");
        assertThat(text(client.get("/jobs/queues"))).contains("href=\"/jobs/queues/mail\"");
        assertThat(client.get("/jobs/queues/none").statusCode()).isEqualTo(404);
        assertThat(client.get("/jobs/queues/" + "x".repeat(201)).statusCode()).isEqualTo(404);
        assertThat(text(client.get("/jobs/new?queue=mail"))).contains("name=\"queue\" value=\"mail\"");
    }

    @Test
    void limits_ofEachSort_areSetShownAndRemoved() {
        set("limit", "jobs=20");
        set("limit", "jobs=2&kind=newsletter");
        set("limit", "jobs=5&each_node=true");
        set("limit", "jobs=3&each_group=true");
        set("rate-limit", "jobs=100&period=1+min&burst=10");
        set("rate-limit", "jobs=1000&period=25+h&group=acme");
        set("share", "group=acme&share=2.5");
        set("ageing", "every=10+min");
        assertThat(limits())
                .isEqualTo("ageing by 1 every 00:10:00, by 10 at most; newsletter concurrency 2; concurrency 20;"
                        + " each-group concurrency 3; each-node concurrency 5; rate 100 in 00:01:00, 10 at once;"
                        + " acme rate 1000 in 25:00:00; acme share 2.5");
        String page = text(client.get(MAIL));
        assertThat(page)
                .contains("kind newsletter</td> <td data-label=\"Limit\" class=\"wide\">at most 2 at the same time")
                .contains(
                        "the queue, on each node</td> <td data-label=\"Limit\" class=\"wide\">at most 5 at the same time")
                .contains("at most 100 begin in 1 min, 10 of them at once", "at most 1000 begin in 1 d 1 h")
                .contains("a share of 2.5");
        assertThat(client.submit(MAIL, MAIL + "/remove-limit", "setting=concurrency")
                        .body())
                .contains("Remove the limit of queue mail?");
        set("remove-limit", "setting=concurrency&each_node=true&confirmed=yes");
        set("remove-limit", "setting=concurrency&kind=newsletter&confirmed=yes");
        set("remove-limit", "setting=concurrency&each_group=true&confirmed=yes");
        set("remove-limit", "setting=rate&group=acme&period=PT25H&confirmed=yes");
        set("remove-limit", "setting=share&group=acme&confirmed=yes");
        set("remove-limit", "setting=ageing&confirmed=yes");
        assertThat(limits()).isEqualTo("concurrency 20; rate 100 in 00:01:00, 10 at once");
        assertThat(database.value("SELECT count(*) FROM howdah.audit WHERE action = 'queues.limit' AND object ="
                        + " 'queues/mail' AND outcome = 'done' AND after::text LIKE '%kind=newsletter%'"))
                .isNotEqualTo("0");
    }

    @Test
    void limit_thatCannotBe_isRefusedWithTheValue() {
        for (String[] wrong : new String[][] {
            {"limit", "jobs=0", "jobs has to be a number from 1 to 1000000, not \"0\""},
            {"limit", "", "jobs is missing"},
            {"limit", "jobs=2&kind=a&group=b", "not for several of these"},
            {"limit", "jobs=2&group=b&each_node=true", "for each node"},
            {"rate-limit", "jobs=2&period=soon", "a period is written as"},
            {"rate-limit", "jobs=2&period=400+d", "period has to be 10 ms to 366 days"},
            {"share", "group=acme&share=much", "share has to be a number from 0.001 to 1000"},
            {"ageing", "every=0+s", "every has to be 1 second to 366 days"},
            {"pause", "kind=" + "x".repeat(201) + "&confirmed=yes", "200 characters"},
            {"remove-limit", "setting=all&confirmed=yes", "concurrency, rate, share, ageing"}
        }) {
            HttpResponse<String> answer = client.submit(MAIL, MAIL + "/" + wrong[0], wrong[1]);
            assertThat(answer.statusCode()).as(wrong[1]).isEqualTo(400);
            assertThat(answer.body()).as(wrong[1]).contains(wrong[2]);
        }
        assertThat(limits()).isEqualTo("null");
    }

    @Test
    void kind_isPausedAndResumed_whileTheQueueGoesOn() {
        assertThat(client.submit(MAIL, MAIL + "/pause", "kind=send").body()).contains("Pause kind send of queue mail?");
        set("pause", "kind=send&confirmed=yes");
        assertThat(text(client.get(MAIL))).contains("Kinds that are paused", "Resume kind send");
        set("resume", "kind=send");
        assertThat(text(client.get(MAIL))).doesNotContain("Kinds that are paused");
        set("pause", "confirmed=yes");
        assertThat(text(client.get(MAIL))).contains("paused</span>", "by local");
        HttpResponse<String> fromTheList = client.submit(MAIL, MAIL + "/resume?from=list", "");
        assertThat(fromTheList.headers().firstValue("Location")).hasValue("/jobs/queues");
    }

    @Test
    void names_thatAreHostile_areTexts() {
        database.execute("SELECT howdah.limit('<script>alert(1)</script>/x', 3, kind => '\"><b>')");
        String page = text(client.get("/jobs/queues/%3Cscript%3Ealert(1)%3C%2Fscript%3E%2Fx"));
        assertThat(page).contains("at most 3 at the same time", "&lt;b&gt;").doesNotContain("<script>alert", "\"><b>");
    }

    @Test
    void api_setsListsAndRemovesLimits() {
        String limit = "{\"jobs\": 4, \"kind\": \"send\"}";
        assertThat(api.post("/queues/mail/limit", limit).text("changed")).isEqualTo("true");
        assertThat(api.post("/queues/mail/limit", limit).text("changed")).isEqualTo("false");
        assertThat(api.get("/queues/mail/limits").json().at("/items/0/kind").asText())
                .isEqualTo("send");
        api.post("/queues/mail/limit", "{\"jobs\": 4, \"each_node\": true, \"each_group\": false}");
        api.post("/queues/mail/rate-limit", "{\"jobs\": 10, \"period\": \"PT1M\", \"burst\": 2}");
        api.post("/queues/mail/share", "{\"group\": \"acme\", \"share\": 0.5}");
        api.post("/queues/mail/ageing", "{\"every\": \"PT10M\", \"most\": 5}");
        assertThat(limits())
                .isEqualTo("ageing by 1 every 00:10:00, by 5 at most; send concurrency 4; each-node concurrency 4;"
                        + " rate 10 in 00:01:00, 2 at once; acme share 0.5");
        assertThat(api.get("/queues/mail/limits").json().path("items")).hasSize(5);
        api.post("/queues/mail/remove-limit", "{\"setting\": \"rate\"}");
        api.post("/queues/mail/remove-limit", "{\"setting\": \"share\", \"group\": \"acme\"}");
        assertThat(api.get("/queues/mail/limits").json().path("items")).hasSize(3);
        for (String[] wrong : new String[][] {
            {"limit", "{\"jobs\": 0}"},
            {"limit", "{\"jobs\": 2, \"kind\": \"a\", \"each_group\": true}"},
            {"rate-limit", "{\"jobs\": 2, \"period\": \"soon\"}"},
            {"rate-limit", "{\"jobs\": 2, \"period\": \"PT1M\", \"burst\": 3}"},
            {"share", "{\"group\": \"acme\", \"share\": 0}"},
            {"remove-limit", "{\"setting\": \"all\"}"}
        })
            assertThat(api.post("/queues/mail/" + wrong[0], wrong[1]).status())
                    .as(wrong[1])
                    .isEqualTo(422);
    }

    @Test
    void retries_ofAQueue_runNow() {
        database.execute(
                "SELECT howdah.add('mail', 'send', 'null'::json);"
                        + " UPDATE howdah_internal.job SET attempt = 1, run_at = now() + interval '1 hour', more = '{\"error\": \"busy\"}' WHERE id = 2");
        assertThat(text(client.get(MAIL))).contains("Run retries now");
        assertThat(api.post("/queues/mail/run-retries-now", "{\"error\": \"idle\"}")
                        .json()
                        .path("jobs")
                        .asInt())
                .isEqualTo(0);
        assertThat(api.post("/queues/mail/run-retries-now", "{}")
                        .json()
                        .path("jobs")
                        .asInt())
                .isEqualTo(1);
    }

    @Test
    void viewer_seesLimitsAndNoForm() {
        database.execute("SELECT howdah.limit('mail', 7)");
        String token =
                "Bearer " + new TokenStore(ConsoleFixtures.source(database), "howdah").add("v", "viewer", null, null);
        try (Console closed = console().login(true).start()) {
            ConsoleClient viewer = new ConsoleClient(closed.address());
            assertThat(text(viewer.get(MAIL, "Authorization", token)))
                    .contains("at most 7 at the same time")
                    .doesNotContain("Limit how many", ">Remove<", "Pause queue mail");
            assertThat(viewer.post(MAIL + "/limit", "jobs=1", "Authorization", token)
                            .statusCode())
                    .isEqualTo(403);
        }
        assertThat(limits()).isEqualTo("concurrency 7");
    }
}
