package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.operations.store.TokenStore;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.Processes;
import java.net.http.HttpClient;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** That the stream of events tells of tasks, jobs, processes and sweeps, in whatever order their transactions are committed. */
class ApiEventKindsTest extends ApiTestBase {
    private final HttpClient http = HttpClient.newHttpClient();
    private Processes node;

    ApiEventKindsTest(TestDatabase database) {
        super(database);
        node = Processes.on(ConsoleFixtures.source(database))
                .namespace(
                        Namespace.of("order", (task, process) -> Intent.none().event("told")))
                .start();
    }

    @Override
    void install() throws SQLException {
        ConsoleFixtures.serve(database);
        try (Connection connection = database.connect()) {
            Jobs.install(connection);
        }
        database.execute("CREATE TABLE invoice (id bigint PRIMARY KEY, net int, gross int);"
                + " INSERT INTO invoice (id, net) SELECT i, i FROM generate_series(1, 300) i");
        // The first job of a queue makes its lane: others that add one wait until it is committed.
        database.execute("SELECT howdah.add('late', 'k', 'null'::json)");
    }

    @Override
    ConsoleBuilder console() {
        return ConsoleFixtures.console(database)
                .login(true)
                .taskTable("public", "task")
                .startSweeps(ConsoleFixtures.source(database));
    }

    @Override
    ApiClient client() {
        return new ApiClient(console.address(), token("all", "administrator"));
    }

    @AfterEach
    void stopNode() {
        node.close();
    }

    private String token(String name, String role) {
        return "Bearer " + new TokenStore(ConsoleFixtures.source(database), "howdah").add(name, role, null, null);
    }

    private EventFollower follower() throws Exception {
        EventFollower follower = new EventFollower(http, console.address(), token("ann", "viewer"));
        follower.awaitText("event: ready");
        return follower;
    }

    private static String id(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    private static String added(Connection connection) throws SQLException {
        return id(connection, "SELECT a.id FROM howdah.add('late', 'k', 'null'::json) a");
    }

    @Test
    void process_startedAndChanged_isTold_andItsNamespace() throws Exception {
        try (EventFollower follower = follower()) {
            assertThat(api.post("/processes/order", "{\"id\": \"o-1\", \"args\": \"fine\"}")
                            .status())
                    .isEqualTo(201);
            follower.awaitText(
                    "event: process\ndata: {\"namespace\":\"order\",\"id\":\"o-1\",\"status\":\"running\"",
                    "event: namespace\ndata: {\"name\":\"order\"");
            assertThat(api.post("/processes/order/o-1/call", "{\"args\": \"more\"}")
                            .status())
                    .isEqualTo(200);
            await().atMost(Patience.LIMIT)
                    .until(() -> follower.text()
                            .matches("(?s).*event: process\ndata: [^\n]*\"o-1\"[^\n]*" + "\"last_event\":\"2\".*"));
        }
    }

    @Test
    void sweep_startedEndedAndRemoved_isTold() throws Exception {
        try (EventFollower follower = follower()) {
            String sweep = "{\"name\": \"gross\", \"table\": \"invoice\", \"key\": [\"id\"],"
                    + " \"where\": \"gross IS NULL\", \"mark\": \"gross = net * 119 / 100\", \"workers\": 1}";
            assertThat(api.post("/sweeps", sweep).text("started")).isEqualTo("true");
            follower.awaitText("event: sweep\ndata: {\"name\":\"gross\"");
            await().atMost(Patience.LIMIT)
                    .until(() -> follower.text()
                            .matches("(?s).*event: sweep\ndata:"
                                    + " \\{\"name\":\"gross\",[^\n]*\"state\":\"done\"[^\n]*\"done\":\"300\".*"));
            assertThat(api.post("/sweeps/gross/remove", null).status()).isEqualTo(200);
            follower.awaitText("event: removed\ndata: {\"type\":\"sweep\",\"name\":\"gross\"}");
        }
    }

    /** Kind: an id that is taken before a higher one, and committed after it was told. */
    @Test
    void what_isCommittedAfterAHigherId_isTold() throws Exception {
        try (Connection early = database.connect();
                EventFollower follower = follower();
                Connection slow = database.connect()) {
            // Open before the first look, and during it.
            for (Connection each : List.of(early, slow)) each.setAutoCommit(false);
            List<String> jobs = new ArrayList<>();
            List<String> tasks = new ArrayList<>();
            for (Connection each : List.of(early, slow)) {
                jobs.add(added(each));
                tasks.add(id(each, "INSERT INTO task (plan, input) VALUES (now() + '1 day', '') RETURNING id"));
                node.init(each, "order", "late-" + tasks.size(), "fine");
            }
            try (Connection other = database.connect()) {
                String job = added(other);
                String task = id(other, "INSERT INTO task (input) VALUES ('SELECT 1') RETURNING id");
                node.init("order", "higher", "fine");
                follower.awaitText(
                        "event: job\ndata: {\"id\":\"" + job + "\"",
                        "\"public.task\",\"id\":\"" + task + "\"",
                        "\"id\":\"higher\"");
            }
            assertThat(follower.text()).doesNotContain("\"id\":\"late-", "\"id\":\"" + jobs.get(0) + "\",\"queue\"");
            for (Connection each : List.of(early, slow)) each.commit();
            for (String each : jobs) follower.awaitText("event: job\ndata: {\"id\":\"" + each + "\"");
            for (String each : tasks) follower.awaitText("\"public.task\",\"id\":\"" + each + "\"");
            follower.awaitText(
                    "\"namespace\":\"order\",\"id\":\"late-1\"", "\"namespace\":\"order\",\"id\":\"late-2\"");
        }
    }

    @Test
    void jobs_ofProducersThatCommitInAnyOrder_areToldEachOnce() throws Exception {
        List<String> all = new ArrayList<>();
        try (EventFollower follower = follower()) {
            List<CompletableFuture<List<String>>> producers = new ArrayList<>();
            for (int i = 0; i < 6; i++) producers.add(CompletableFuture.supplyAsync(this::produce));
            for (CompletableFuture<List<String>> each : producers) all.addAll(each.join());
            for (String each : all) follower.awaitText("event: job\ndata: {\"id\":\"" + each + "\"");
            assertThat(follower.text()).doesNotContain("event: many");
            assertThat(follower.lines.stream().filter(each -> each.contains("\"queue\":\"late\",\"kind\"")))
                    .hasSize(all.size());
        }
    }

    /** Each transaction is open across some looks. */
    private List<String> produce() {
        List<String> jobs = new ArrayList<>();
        try (Connection connection = database.connect()) {
            connection.setAutoCommit(false);
            for (int i = 0; i < 12; i++) {
                jobs.add(added(connection));
                id(connection, "SELECT pg_sleep(0.01 + random() * 0.08)");
                connection.commit();
            }
            return jobs;
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }
}
