package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.process.Processes;
import dev.howdah.sweep.Sweep;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Markup in every text that a user can store is shown as text on every page; SQL in every filter is a value. */
@PostgresTest
class HostileTextsTest {
    private static final String EVIL =
            "<script>alert(1)</script>'\"><img src=x onerror=alert(2)> \" onmouseover=\"alert(3)\u202e</textarea><svg/onload=alert(4)>";

    private static final String CODED =
            URLEncoder.encode(EVIL, StandardCharsets.UTF_8).replace("+", "%20");

    private static TestDatabase database;
    private static Console console;
    private static ConsoleClient client;

    @BeforeAll
    static void fill(TestDatabase shared) throws SQLException {
        database = shared;
        ConsoleFixtures.tasksAndJobs(shared);
        ConsoleFixtures.takeAnyName(shared);
        try (Connection connection = shared.connect()) {
            Processes.install(connection);
            Sweep.install(connection);
        }
        String evil = "$x$" + EVIL + "$x$";
        shared.execute("INSERT INTO task (input, \"group\", state, plan, start, stop, output, error, data) VALUES ("
                + evil + ", " + evil
                + ", 'FAIL', now(), now(), now(), " + evil + ", " + evil + ", " + evil + ");"
                + " SELECT howdah.add(" + evil + ", " + evil + ", to_json(" + evil + "::text), key => " + evil
                + ", options => jsonb_build_object('tags', jsonb_build_array('t'), 'metadata', jsonb_build_object('m', "
                + evil
                + "::text)));"
                + " INSERT INTO howdah_internal.failed (id, lane, state, kind, priority, attempt, deaths, run_at, ended, error, payload)"
                + " SELECT nextval('howdah_internal.job_id_seq'), min(id), 'failed', " + evil
                + ", 0, 1, 0, now(), now(), "
                + evil
                + ", to_json(" + evil + "::text) FROM howdah_internal.lane;"
                + " INSERT INTO howdah_internal.job (lane, kind, run_at, payload, attempt, more) SELECT min(id), "
                + evil
                + ", now() + interval '1 h', '1', 1, jsonb_build_object('error', " + evil
                + "::text) FROM howdah_internal.lane;"
                + " INSERT INTO howdah_internal.node (name, features, serves) VALUES (" + evil
                + ", '{job}', jsonb_build_object('queues',"
                + " jsonb_build_array(" + evil + "::text)));"
                + " INSERT INTO howdah_internal.process_namespace (name) VALUES (" + evil + ");"
                + " INSERT INTO howdah_internal.process (namespace, lane, last_event, created, status_changed, id, status, previous_status,"
                + " detail, due_at, task) SELECT id, 2, 1, now(), now(), " + evil + ", 'error', 'running', " + evil
                + ", now(), 1 FROM howdah_internal.process_namespace;"
                + " INSERT INTO howdah_internal.process_task (process, id, scheduled, started, finished, type, status, args)"
                + " SELECT number, 1, now(), now(), now(), 'init', 'finished', convert_to(" + evil
                + ", 'UTF8') FROM howdah_internal.process;"
                + " INSERT INTO howdah_internal.process_event (process, id, task, at, payload) SELECT number, 1, 1, now(),"
                + " convert_to(" + evil + ", 'UTF8') FROM howdah_internal.process;"
                + " INSERT INTO howdah.sweep (name, definition, total, exact, done, state, error) VALUES (" + evil
                + ", jsonb_build_object('table', " + evil + "::text, 'where', " + evil + "::text, 'sql', " + evil
                + "::text), 9, true, 4, 'failed', " + evil + ");"
                + " INSERT INTO howdah.sweep_error (sweep, key, error) SELECT id, ARRAY[" + evil + "], " + evil
                + " FROM howdah.sweep");
        shared.execute("SELECT howdah.add_workflow(json_build_array(json_build_object('name', " + evil
                + "::text, 'queue', " + evil + "::text, 'kind', " + evil + "::text, 'payload', 1), json_build_object("
                + "'name', 'b', 'queue', 'q', 'kind', 'k', 'payload', 2, 'after', json_build_array(" + evil
                + "::text))), name => " + evil + ")");
        shared.execute("SELECT howdah.schedule(name => " + evil + ", queue => " + evil + ", kind => " + evil
                + ", payload => to_json(" + evil + "::text), period => '1 h')");
        console = ConsoleFixtures.console(shared)
                .startSweeps(ConsoleFixtures.source(shared))
                .start();
        client = new ConsoleClient(console.address());
    }

    @AfterAll
    static void stop() {
        console.close();
    }

    private static String value(String sql) {
        return String.valueOf(database.value(sql));
    }

    private static void assertHarmless(String path) {
        HttpResponse<String> answer = client.get(path);
        assertThat(answer.statusCode()).as(path).isEqualTo(200);
        assertThat(answer.body())
                .as(path)
                .doesNotContain("<script>", "<img", "<svg/", "class=\"problem\"")
                // A quote of a value would be written as &#34;: this one would have ended it.
                .doesNotContainPattern("<[a-z][^>]*onmouseover=\"")
                .containsOnlyOnce("</head>");
        // What a form sends back stays as it is; what is only read does not change the direction of writing.
        assertThat(answer.body().replaceAll("(?s)<textarea.*?</textarea>| (value|data-[a-z]+)=\"[^\"]*\"", ""))
                .as(path)
                .doesNotContain("\u202e");
    }

    @Test
    void texts_ofUsers_areTextOnEachPage() {
        String failed = value("SELECT id FROM howdah_internal.failed");
        String waiting = value("SELECT min(id) FROM howdah_internal.job");
        for (String path : List.of(
                "/",
                "/tasks",
                "/tasks/1",
                "/tasks/new?from=1",
                "/jobs",
                "/jobs?state=failed",
                "/jobs?state=retrying",
                "/jobs/" + failed,
                "/jobs/" + waiting,
                "/jobs/new?from=" + failed,
                "/jobs/queues",
                "/jobs/errors",
                "/jobs/errors?state=retrying",
                "/schedules",
                "/schedules/" + CODED,
                "/schedules/" + CODED + "/edit",
                "/processes",
                "/processes/" + CODED,
                "/processes/" + CODED + "?status=error",
                "/processes/" + CODED + "/" + CODED,
                "/sweeps",
                "/sweeps/" + CODED,
                "/sweeps/" + CODED + "/start",
                "/nodes",
                "/nodes/" + value("SELECT min(id) FROM howdah_internal.node"),
                "/workflows",
                "/workflows/" + value("SELECT min(id) FROM howdah_internal.workflow"),
                "/database",
                "/search?q=" + CODED,
                "/tasks?group=" + CODED,
                "/jobs?queue=" + CODED + "&kind=" + CODED,
                "/audit?action=" + CODED)) assertHarmless(path);
        assertThat(client.get("/tasks/1").body()).contains("&lt;script&gt;");
        // What was typed comes back: a check, a refusal, a page that is not there.
        String typed =
                "check=yes&name=" + CODED + "&table=" + CODED + "&key=" + CODED + "&where=" + CODED + "&sql=" + CODED;
        assertThat(client.submit("/sweeps/new", "/sweeps/new", typed).body())
                .doesNotContain("<script>", "<img", "<svg/")
                .doesNotContainPattern("<[a-z][^>]*onmouseover=\"");
        assertThat(client.get("/nothing/" + CODED).body()).doesNotContain("<script>", "<img", "<svg/");
        assertThat(client.get("/tasks?state=" + CODED).body()).doesNotContain("<script>", "<img", "<svg/");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/tasks", "/jobs?state=failed", "/jobs/queues", "/processes", "/sweeps", "/nodes", "/workflows/1"
            })
    void texts_ofUsers_areTextInStreams(String path) throws Exception {
        HttpRequest stream = HttpRequest.newBuilder(URI.create(
                        console.address() + "/stream?view=" + URLEncoder.encode(path, StandardCharsets.UTF_8)))
                .header("Accept", "text/event-stream")
                .build();
        try (Stream<String> lines = HttpClient.newHttpClient()
                .send(stream, HttpResponse.BodyHandlers.ofLines())
                .body()) {
            String sent =
                    lines.filter(line -> line.contains("lt;script")).findFirst().orElseThrow();
            assertThat(sent)
                    .doesNotContain("<script>", "<img", "<svg/")
                    .doesNotContainPattern("<[a-z][^>]*onmouseover=\\\\?\"");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/tasks?text=X",
                "/tasks?owner=X",
                "/tasks?group=X",
                "/jobs?queue=X",
                "/jobs?kind=X",
                "/jobs?key=X",
                "/jobs?tag=X",
                "/jobs?q=X",
                "/jobs?state=failed&error=X",
                "/jobs?state=failed&tag=X",
                "/jobs/errors?queue=X&kind=X",
                "/schedules?text=X&queue=X",
                "/processes/order?prefix=X",
                "/search?q=X",
                "/search?q=key:X",
                "/search?q=tag:X",
                "/audit?actor=X",
                "/audit?object=X",
                "/tasks?after=X",
                "/jobs?after=X",
                "/jobs?day=X",
                "/jobs?node=X",
                "/tasks?sort=X",
                "/tasks?text=X",
                "/sweeps?state=X"
            })
    void filter_withSqlInIt_isAValue(String path) {
        for (String evil : List.of(
                "%27%3BTRUNCATE%20task%3B--", "%22%3B%20TRUNCATE%20task%3B", "%5C%27%20OR%201%3D1--%00", "%25%5F")) {
            HttpResponse<String> answer = client.get(path.replace("X", evil));
            assertThat(answer.statusCode()).as(path).isIn(200, 400, 404);
            assertThat(answer.body()).as(path).doesNotContain("syntax error", "unterminated");
        }
        assertThat(value("SELECT count(*) FROM task")).isEqualTo("1");
    }
}
