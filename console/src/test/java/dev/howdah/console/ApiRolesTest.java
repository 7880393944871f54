package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.operations.store.TokenStore;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Which role may do what by the API. The routes are those of the server: one without a decision here fails. */
class ApiRolesTest extends ApiTestBase {
    private static final Map<String, Set<String>> MAY = Map.of(
            "worker", Set.of("worker"),
            "producer", Set.of("producer"),
            "sender", Set.of(),
            "viewer", Set.of("viewer"),
            "operator", Set.of("viewer", "operator"),
            "submitter", Set.of("producer", "viewer", "operator", "submitter"),
            "administrator", Set.of("worker", "producer", "viewer", "operator", "submitter", "administrator"));

    /** The role that each operation needs. */
    private static final Map<String, String> NEEDED = needed();

    private final HttpClient http = HttpClient.newHttpClient();
    private final TokenStore tokens;

    ApiRolesTest(TestDatabase database) {
        super(database);
        this.tokens = new TokenStore(ConsoleFixtures.source(database), "howdah");
    }

    private static Map<String, String> needed() {
        Map<String, String> needed = new LinkedHashMap<>();
        for (String each : """
                viewer listTasks getTask whyTask downloadTaskOutput
                operator cancelTask resumeTask retryTask
                administrator addTask checkTask
                viewer listJobs getJob whyJob
                operator retryJob cancelJob runJobNow setJobPriority setJobTags moveJob signalJob rescheduleJob
                operator rerunJob dropJobRecord emitEvent
                operator changeJobs changeAllJobs stopChange
                viewer listChanges getChange
                producer addJob addJobs addWorkflow addWorkflows addToPipeline
                administrator deleteJob setJobPayload
                viewer listNamespaces listProcesses getProcess traceProcess whyProcess
                operator callProcess notifyProcess repairProcess simpleRepairProcess
                submitter startProcess
                administrator removeProcess
                viewer listSchedules getSchedule whySchedule listScheduleJobs previewSchedule
                operator pauseSchedule resumeSchedule runScheduleNow
                administrator addSchedule changeSchedule removeSchedule
                viewer listCalendars getCalendar getFeatures
                administrator addDays removeDays installFeature uninstallFeature
                viewer listTaskSchedules listTaskScheduleRuns
                operator pauseTaskSchedule resumeTaskSchedule runTaskScheduleNow
                administrator putTaskSchedule removeTaskSchedule
                viewer streamEvents getOverview listQueues listNodes getNode
                operator pauseQueue resumeQueue
                viewer listSweeps getSweep listSweepErrors listSweepGenerations whySweep
                operator pauseSweep resumeSweep stopSweep throttleSweep limitHoursOfSweep retryFailedRows
                administrator startSweep removeSweep
                viewer listLimits listWorkflows getWorkflow
                operator closeWorkflow cancelWorkflow limitQueue rateLimitQueue shareQueue setAgeing removeLimit runRetriesNow
                viewer listSettings listLogReaders listAllLimits
                viewer listCountedTags
                administrator countTag uncountTag
                viewer listRetention
                administrator putRetention removeRetention
                viewer listPipelines
                administrator putPipeline removePipeline
                operator limitUnread addLogReader seekLogReader
                administrator createLogQueue dropLogReader
                administrator listBrowserSessions endBrowserSession
                administrator listTokens addToken revokeToken listAudit
                viewer getLatency listAttention search listSessions countJobs listTaskGroups
                administrator cancelSession terminateSession
                operator changeProcesses changeAllProcesses
                viewer listTaskPoints listSweepPoints listJobPoints listErrorPoints listDeployments listEndedNodes
                viewer checkDatabase getJobHistory listErrors listTimers listBlockedNotices
                operator retryErrors changeTasks changeAllTasks publishNoticeAgain skipNotice
                administrator deleteTask changeTask
                worker claimJobs heartbeat completeJob failJob snoozeJob releaseJob
                worker heartbeatBatch endJobBatch cancelClaimedJob withdrawClaim
                open sendTokenSignal
                worker beginStep recordStep addChildren suspendJob makeSignalToken changeHandler
                """.split("\n")) {
            String[] words = each.split(" ");
            for (int i = 1; i < words.length; i++) needed.put(words[i], words[0]);
        }
        return needed;
    }

    @Override
    ConsoleBuilder console() {
        return ConsoleFixtures.console(database).login(true).startSweeps(ConsoleFixtures.source(database));
    }

    @Override
    ApiClient client() {
        return new ApiClient(console.address(), "Bearer " + tokens.add("reader", "viewer", null, null));
    }

    private record Operation(String id, String method, String path) {}

    private Set<String> documented() {
        Set<String> documented = new TreeSet<>();
        operations().values().forEach(each -> documented.add(each.method() + " /api/v1" + each.path()));
        return documented;
    }

    private Map<String, Operation> operations() {
        Map<String, Operation> operations = new LinkedHashMap<>();
        api.document()
                .path("paths")
                .fields()
                .forEachRemaining(path -> path.getValue().fields().forEachRemaining(method -> {
                    String id = method.getValue().path("operationId").asText();
                    String verb = method.getKey().toUpperCase(Locale.ROOT);
                    assertThat(operations.put(id, new Operation(id, verb, path.getKey())))
                            .as(id)
                            .isNull();
                }));
        return operations;
    }

    @Test
    void routes_ofTheServer_areThoseOfTheDocument() {
        Set<String> routes = console.routes().stream()
                .filter(each -> each.contains(" /api/") && !each.startsWith("HEAD "))
                .filter(each -> !each.endsWith(" /api/*") && !each.endsWith("/openapi.json"))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(routes).isEqualTo(documented());
        assertThat(console.routes()).contains("GET /api/v1/openapi.json");
    }

    private int status(Operation operation, String method, String token) throws Exception {
        String path = "/api/v1" + operation.path().replaceAll("\\{[^}]*}", "7");
        HttpRequest request = HttpRequest.newBuilder(URI.create(console.address() + path))
                .header("Authorization", token)
                .header("Content-Type", "application/json")
                .method(
                        method,
                        method.equals("POST")
                                ? HttpRequest.BodyPublishers.ofString("{}")
                                : HttpRequest.BodyPublishers.noBody())
                .build();
        HttpResponse<InputStream> answer = http.send(request, HttpResponse.BodyHandlers.ofInputStream());
        answer.body().close();
        return answer.statusCode();
    }

    /** Kind: a refusal that one face writes down and the other does not. */
    @Test
    void change_refusedForTheRole_isInTheAuditTable_andCannotFillIt() throws Exception {
        String viewer = bearer("a-viewer", "viewer");
        Operation pause = Objects.requireNonNull(operations().get("pauseSweep"));
        Operation read = Objects.requireNonNull(operations().get("getSweep"));
        for (int i = 0; i < 110; i++) assertThat(status(pause, "POST", viewer)).isEqualTo(403);
        assertThat(status(read, "GET", viewer)).isEqualTo(404);
        String refused = "SELECT %s FROM howdah.audit WHERE actor LIKE '%%a-viewer' AND outcome = 'refused'";
        assertThat(database.value(
                        refused.formatted("DISTINCT via || ' ' || action || ' ' || object || ': ' || message")))
                .isEqualTo("api sweeps.pause sweeps/7: needs the role operator");
        assertThat(Integer.parseInt(String.valueOf(database.value(refused.formatted("count(*)")))))
                .isBetween(100, 109);
    }

    @Test
    void eachRole_atEachRoute_mayDoWhatWasDecidedAndNothingElse() throws Exception {
        Map<String, Operation> operations = operations();
        assertThat(operations.keySet()).isEqualTo(NEEDED.keySet());
        for (String role : MAY.keySet()) {
            String token = bearer("a-" + role, role);
            for (Operation each : operations.values()) {
                boolean may = MAY.get(role).contains(NEEDED.get(each.id()))
                        || "open".equals(NEEDED.get(each.id()))
                        || Set.of("producer getJob", "sender signalJob").contains(role + " " + each.id());
                int status = status(each, each.method(), token);
                if (may) assertThat(status).as(role + " " + each).isNotIn(401, 403);
                else assertThat(status).as(role + " " + each).isEqualTo(403);
                if (each.method().equals("GET") && !may)
                    assertThat(status(each, "HEAD", token))
                            .as(role + " HEAD " + each)
                            .isEqualTo(403);
            }
        }
        // Refused before its body is looked at.
        assertThat(database.value("SELECT count(*) FROM howdah.audit WHERE role IN ('worker', 'viewer')"
                        + " AND outcome <> 'refused'"))
                .isEqualTo("0");
    }

    private String bearer(String name, String role) {
        String[] queues =
                Set.of("producer", "sender").contains(role) ? new String[] {"default", "mail"} : new String[0];
        return "Bearer " + tokens.add(name, role, null, null, queues);
    }

    @Test
    void sender_signalsJobsOfItsQueues_andDoesNotHearOfOthers() {
        ApiClient producer = new ApiClient(console.address(), bearer("reads", "viewer"), bearer("shop", "producer"));
        String own =
                producer.post("/jobs", "{\"kind\": \"k\", \"queue\": \"mail\"}").text("id");
        database.execute("SELECT howdah.add('books', 'k', '1'::json)");
        String other = String.valueOf(database.value("SELECT id FROM howdah.jobs WHERE queue = 'books'"));
        ApiClient sender = new ApiClient(console.address(), bearer("looks", "viewer"), bearer("a-shop", "sender"));
        String body = "{\"name\": \"ok\"}";
        assertThat(sender.post("/jobs/" + own + "/signal", body).status()).isEqualTo(200);
        for (String each : List.of(other, "999999999"))
            assertThat(sender.post("/jobs/" + each + "/signal", body).status()).isEqualTo(404);
        assertThat(database.value("SELECT string_agg(job || sender, ' ') FROM howdah_internal.job_signal"))
                .isEqualTo(own + "token:a-shop");
    }

    @Test
    void producer_addsToItsQueues_andNoJobsOfTheDaemon() {
        ApiClient.Answer added;
        ApiClient producer = new ApiClient(console.address(), bearer("reads", "viewer"), bearer("shop", "producer"));
        added = producer.post("/jobs", "{\"kind\": \"send\", \"queue\": \"mail\"}");
        assertThat(added.status()).isEqualTo(201);
        assertThat(producer.post("/jobs", "{\"kind\": \"send\"}").status()).isEqualTo(201);
        for (String job : new String[] {
            "{\"kind\": \"send\", \"queue\": \"payments\"}",
            "{\"kind\": \"sql\", \"queue\": \"mail\", \"payload\": {\"sql\": \"SELECT 1\"}}",
            "{\"kind\": \"http\", \"queue\": \"mail\"}",
            "{\"kind\": \"howdah.ssh\", \"queue\": \"mail\"}"
        }) {
            assertThat(producer.post("/jobs", job).status()).as(job).isEqualTo(403);
            assertThat(producer.post("/jobs/batch", "{\"jobs\": [{\"kind\": \"send\"}, " + job + "]}")
                            .status())
                    .as("%s in a batch", job)
                    .isEqualTo(403);
        }
        assertThat(producer.post("/jobs", "{\"kind\": \"send\", \"queue\": \"payments\"}")
                        .text("detail"))
                .isEqualTo("token:shop may use the queues default, mail only, not payments.");
        // It may read those of its queues; of others it does not get to know that they are there.
        ApiClient own = new ApiClient(console.address(), bearer("reads-too", "viewer"), bearer("shop-2", "producer"));
        assertThat(own.get("/jobs/" + added.text("id")).status()).isEqualTo(200);
        database.execute("SELECT howdah.add('payments', 'k', 'null'::json)");
        assertThat(own.get("/jobs/3").status()).isEqualTo(404);
        assertThat(own.get("/jobs/99").status()).isEqualTo(404);
        assertThat(own.get("/jobs").status()).isEqualTo(403);
        database.execute("SELECT howdah.cancel(3); DELETE FROM howdah_internal.failed");
        for (String job : new String[] {"{\"kind\": \"sql\"}", "{\"kind\": \"k\", \"queue\": \"payments\"}"}) {
            assertThat(producer.post(
                                    "/workflows",
                                    "{\"jobs\": [{\"name\": \"a\", \"kind\": \"k\"}], \"when_done\": " + job + "}")
                            .status())
                    .isEqualTo(403);
            assertThat(producer.post("/workflows", "{\"jobs\": [" + job + "]}").status())
                    .isEqualTo(403);
        }
        // What a pipeline would add, the producer has to be able to add by itself.
        for (String stage :
                new String[] {"'kind': 'sql', 'queue': 'mail'", "'kind': 'k', 'queue': 'payments'", "'kind': 'k'"}) {
            String stages = ("[{'name': 'a', " + stage + "}]").replace('\'', '"');
            database.execute("SELECT howdah.put_pipeline('order', '" + stages + "'::json)");
            assertThat(producer.post("/pipelines/order/runs", "{\"inputs\": [1]}")
                            .status())
                    .as(stage)
                    .isEqualTo(403);
        }
        assertThat(database.value("SELECT count(*) FROM howdah_internal.job")).isEqualTo("2");
        // A submitter adds to all queues, and no jobs of the daemon either.
        ApiClient submitter = new ApiClient(console.address(), bearer("ci", "submitter"));
        assertThat(submitter
                        .post("/jobs", "{\"kind\": \"send\", \"queue\": \"payments\"}")
                        .status())
                .isEqualTo(201);
        for (String kind : new String[] {"sql", "http", "howdah.ssh"})
            assertThat(submitter.post("/jobs", "{\"kind\": \"" + kind + "\"}").status())
                    .as(kind)
                    .isEqualTo(403);
        // An administrator may.
        ApiClient administrator = new ApiClient(console.address(), bearer("admin", "administrator"));
        assertThat(administrator
                        .post("/jobs", "{\"kind\": \"sql\", \"queue\": \"payments\"}")
                        .status())
                .isEqualTo(201);
    }

    @Test
    void worker_claimsFromItsQueuesOnly() {
        ApiClient administrator = new ApiClient(console.address(), bearer("admin", "administrator"));
        for (String queue : new String[] {"mail", "payments"})
            administrator.post("/jobs", "{\"kind\": \"send\", \"queue\": \"" + queue + "\"}");
        String token = "Bearer " + tokens.add("mailer", "worker", null, null, "mail");
        ApiClient worker = new ApiClient(console.address(), bearer("reads", "viewer"), token);
        for (String queues :
                new String[] {"", ", \"queues\": [\"payments\"]", ", \"queues\": [\"mail\", \"payments\"]"})
            assertThat(worker.post("/workers/claim", "{\"kinds\": [\"send\"], \"wait\": 1" + queues + "}")
                            .status())
                    .as(queues)
                    .isEqualTo(403);
        ApiClient.Answer claimed =
                worker.post("/workers/claim", "{\"kinds\": [\"send\"], \"queues\": [\"mail\"], \"wait\": 20}");
        assertThat(claimed.json().at("/claims/0/queue").asText()).isEqualTo("mail");
        assertThat(worker.post(
                                "/workers/complete",
                                "{\"token\": \""
                                        + claimed.json().at("/claims/0/token").asText() + "\"}")
                        .status())
                .isEqualTo(200);
    }

    @Test
    void worker_beyondItsRoutes_seesAndChangesNothing() throws IOException {
        String token = "Bearer " + tokens.add("w", "worker", null, null);
        ConsoleClient client = new ConsoleClient(console.address());
        for (String path : new String[] {
            "/", "/jobs", "/audit", "/stream?view=/jobs", "/api/v1/openapi.json", "/api/v1/", "/api/v2/jobs"
        })
            assertThat(client.get(path, "Authorization", token).statusCode())
                    .as(path)
                    .isEqualTo(403);
        assertThat(client.post("/jobs/new", "kind=k&queue=q", "Authorization", token)
                        .statusCode())
                .isEqualTo(403);
        // A session that its token opens has the same role.
        String cookie = client.post(
                        "/login",
                        "token=" + token.substring(7),
                        "Origin",
                        console.address().toString())
                .headers()
                .firstValue("Set-Cookie")
                .orElseThrow();
        String session = cookie.substring(0, cookie.indexOf(';'));
        for (String path : new String[] {"/jobs", "/api/v1/jobs", "/stream?view=/jobs"})
            assertThat(client.get(path, "Cookie", session).statusCode())
                    .as(path)
                    .isEqualTo(403);
        JsonNode problem = api.get("/jobs/99").json();
        assertThat(problem.path("status").asInt()).isEqualTo(404);
    }

    @Test
    void worker_movesNoJobToOtherQueues_andToNoKindOfTheDaemon() {
        ApiClient administrator = new ApiClient(console.address(), bearer("admin", "administrator"));
        administrator.post("/jobs", "{\"kind\": \"send\", \"queue\": \"mail\"}");
        String token = "Bearer " + tokens.add("mailer", "worker", null, null, "mail");
        ApiClient worker = new ApiClient(console.address(), bearer("reads", "viewer"), token);
        String claim = worker.post("/workers/claim", "{\"kinds\": [\"send\"], \"queues\": [\"mail\"], \"wait\": 20}")
                .json()
                .at("/claims/0/token")
                .asText();
        for (String next : new String[] {
            "{\"kind\": \"send\", \"queue\": \"payments\"}",
            "{\"kind\": \"sql\", \"payload\": {\"sql\": \"DROP TABLE customer\"}}",
            "{\"kind\": \"http\"}"
        })
            assertThat(worker.post("/workers/complete", "{\"token\": \"" + claim + "\", \"next\": " + next + "}")
                            .status())
                    .as(next)
                    .isEqualTo(403);
        assertThat(worker.post("/workers/complete", "{\"token\": \"" + claim + "\", \"next\": {\"kind\": \"print\"}}")
                        .status())
                .isEqualTo(200);
    }

    /** Kind: a worker that says of a job of the daemon what it does, by claiming that job or by beginning it anew. */
    @Test
    void worker_claimsNoKindOfTheDaemon_norGivesOneAnotherPayload() {
        ApiClient administrator = new ApiClient(console.address(), bearer("admin", "administrator"));
        administrator.post("/jobs", "{\"kind\": \"sql\", \"payload\": {\"sql\": \"SELECT 1\"}}");
        ApiClient worker = new ApiClient(console.address(), bearer("reads", "viewer"), bearer("w", "worker"));
        for (String kinds : new String[] {"\"sql\"", "\"send\", \"http\"", "\"howdah.ssh\""})
            assertThat(worker.post("/workers/claim", "{\"kinds\": [" + kinds + "], \"wait\": 0}")
                            .status())
                    .as(kinds)
                    .isEqualTo(403);
        // An administrator may, and a worker that got to know the token of that claim goes no further.
        String claim = administrator
                .post("/workers/claim", "{\"kinds\": [\"sql\"], \"wait\": 20}")
                .json()
                .at("/claims/0/token")
                .asText();
        String anew = "{\"token\": \"" + claim
                + "\", \"number\": 1, \"type\": \"continue\", \"payload\": {\"sql\": \"DROP" + " TABLE customer\"}}";
        assertThat(worker.post("/workers/suspend", anew).status()).isEqualTo(403);
        assertThat(administrator.post("/workers/suspend", anew).status()).isEqualTo(200);
    }

    /** Kind: a worker of some queues that hears of jobs of other ones by waiting for their ends. */
    @Test
    void worker_waitsForNoJobOfAnotherQueue() {
        ApiClient administrator = new ApiClient(console.address(), bearer("admin", "administrator"));
        String[] ids = new String[2];
        for (String queue : List.of("mail", "payments")) {
            String id = administrator
                    .post("/jobs", "{\"kind\": \"pay\", \"queue\": \"" + queue + "\"}")
                    .text("id");
            ids[queue.equals("mail") ? 0 : 1] = id;
            JsonNode paid = administrator
                    .post("/workers/claim", "{\"kinds\": [\"pay\"], \"queues\": [\"" + queue + "\"], \"wait\": 20}")
                    .json();
            administrator.post(
                    "/workers/complete",
                    "{\"token\": \"" + paid.at("/claims/0/token").asText() + "\", \"result\": \"of " + queue + "\"}");
        }
        administrator.post("/jobs", "{\"kind\": \"send\", \"queue\": \"mail\"}");
        String token = "Bearer " + tokens.add("mailer", "worker", null, null, "mail");
        ApiClient worker = new ApiClient(console.address(), bearer("reads", "viewer"), token);
        String claim = worker.post("/workers/claim", "{\"kinds\": [\"send\"], \"queues\": [\"mail\"], \"wait\": 20}")
                .json()
                .at("/claims/0/token")
                .asText();
        String wait =
                "{\"token\": \"" + claim + "\", \"number\": %d, \"type\": \"job\", \"name\": \"%s\", \"job\": \"%s\","
                        + " \"at_most\": \"PT0S\"}";
        ApiClient.Answer other = worker.post("/workers/suspend", wait.formatted(1, "other", ids[1]));
        assertThat(other.status()).isEqualTo(404);
        assertThat(other.text("detail")).isEqualTo("there is no job " + ids[1] + " in a queue of token:mailer");
        assertThat(worker.post("/workers/suspend", wait.formatted(1, "own", ids[0]))
                        .text("result"))
                .isEqualTo("of mail");
        // Of several, a child is one of the job's own: nothing is told of other jobs by their ids.
        for (String each : List.of("any", "child", "children")) {
            String child = "{\"name\": \"pay\", \"number\": 1, \"id\": \"" + ids[1] + "\"}";
            String fields =
                    each.equals("any") ? "\"any\": [{\"child\": " + child + "}]" : "\"children\": [" + child + "]";
            ApiClient.Answer answer = worker.post(
                    "/workers/suspend",
                    "{\"token\": \"" + claim + "\", \"number\": " + (2 + each.length()) + ", \"type\": \"" + each
                            + "\", \"name\": \"first\", " + fields + "}");
            assertThat(answer.status()).as(each).isEqualTo(422);
            assertThat(answer.text("detail")).as(each).contains("is no child \"pay\"");
        }
    }
}
