package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.operations.store.TokenStore;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("long")
class ApiEventsTest extends ApiTestBase {
    private final HttpClient http = HttpClient.newHttpClient();
    private final TokenStore tokens;

    ApiEventsTest(TestDatabase database) {
        super(database);
        this.tokens = new TokenStore(ConsoleFixtures.source(database), "howdah");
    }

    @Override
    void install() throws SQLException {
        ConsoleFixtures.tasksAndJobs(database);
    }

    @Override
    ConsoleBuilder console() {
        return super.console().login(true).taskTable("public", "task");
    }

    @Override
    ApiClient client() {
        return new ApiClient(console.address(), token("all", "administrator"));
    }

    private String token(String name, String role) {
        return "Bearer " + tokens.add(name, role, null, null);
    }

    private EventFollower follower(String token, String... headers) throws Exception {
        return new EventFollower(http, console.address(), token, headers);
    }

    private void add(String queue) {
        database.execute("SELECT howdah.add('" + queue + "', 'k', 'null'::json)");
    }

    @Test
    void stream_tellsTheStateAndWhatBecomesOfIt_andGoesOnWhereItWas() throws Exception {
        add("first");
        String token = token("ann", "viewer");
        String id;
        try (EventFollower follower = follower(token)) {
            follower.awaitText("event: reset\ndata: {\"reason\":\"new\"}", "\"name\":\"first\"", "event: ready");
            assertThat(follower.text()).contains("event: database\ndata: {\"reachable\":true}");
            add("second");
            follower.awaitText("\"name\":\"second\"");
            id = follower.lastId();
        }
        // Without a listener nothing is read: what has changed is told all the same.
        add("third");
        try (EventFollower follower = follower(token, "Last-Event-ID", id)) {
            follower.awaitText("\"name\":\"third\"");
            assertThat(follower.text()).doesNotContain("event: reset", "\"name\":\"second\"");
        }
        for (String unknown : new String[] {"other-7", id + "999", "x\" DROP"})
            try (EventFollower follower = follower(token, "Last-Event-ID", unknown)) {
                follower.awaitText("{\"reason\":\"unknown\"}", "\"name\":\"third\"", "event: ready");
            }
    }

    /** Kind: what is written and stays in a buffer until something else is written. A comment is sent when there was nothing for ten seconds. */
    @Test
    void event_isSentAtOnce_andNotWithTheNextComment() throws Exception {
        String token = token("ann", "viewer");
        AtomicInteger round = new AtomicInteger();
        await().atMost(Patience.LIMIT).until(() -> {
            String queue = "at-once-" + round.incrementAndGet();
            try (EventFollower follower = follower(token)) {
                follower.awaitText("event: ready");
                add(queue);
                follower.awaitText("\"queue\":\"" + queue + "\"");
                return follower.lines.stream().noneMatch(each -> each.startsWith(":"));
            }
        });
    }

    @Test
    void stream_namesSingleTasksAndJobs_andSaysWhenThereAreMany() throws Exception {
        add("first");
        String token = token("ann", "viewer");
        try (EventFollower follower = follower(token)) {
            follower.awaitText("event: ready");
            String task = String.valueOf(database.value("INSERT INTO task (input) VALUES ('SELECT 1') RETURNING id"));
            String job = String.valueOf(database.value("SELECT a.id FROM howdah.add('first', 'k', 'null'::json) a"));
            follower.awaitText(
                    "event: task\ndata: {\"table\":\"public.task\",\"id\":\"" + task
                            + "\",\"state\":\"plan\",\"group\":",
                    "event: job\ndata: {\"id\":\"" + job
                            + "\",\"queue\":\"first\",\"kind\":\"k\",\"state\":\"waiting\",\"attempt\":0,\"tags\":[]}");
            assertThat(follower.text()).doesNotContain("event: job\ndata: {\"id\":\"1\",", "event: many");
            database.execute("UPDATE task SET state = 'DONE', start = now(), stop = now() WHERE id = " + task);
            database.execute("SELECT howdah.cancel(" + job + ")");
            follower.awaitText(
                    "\"id\":\"" + task + "\",\"state\":\"done\",",
                    "\"id\":\"" + job + "\",\"queue\":\"first\",\"kind\":\"k\",\"state\":\"cancelled\",");
            database.execute("INSERT INTO task (input) SELECT 'SELECT ' || n FROM generate_series(1, 5000) n;"
                    + " SELECT count(howdah.add('first', 'k', 'null'::json)) FROM generate_series(1, 5000)");
            follower.awaitText(
                    "event: many\ndata: {\"type\":\"task\",\"table\":\"public.task\"}",
                    "event: many\ndata: {\"type\":\"job\"}");
            assertThat(follower.lines.stream().filter(each -> each.startsWith("event: job")))
                    .hasSizeLessThan(10);
        }
    }

    @Test
    void stream_ofARevokedToken_ends() throws Exception {
        String token = token("bob", "viewer");
        try (EventFollower follower = follower(token)) {
            follower.awaitText("event: ready");
            tokens.revoke("bob");
            await().atMost(Patience.LIMIT).until(follower::isOver);
        }
    }

    @Test
    void streams_ofOneCaller_areBounded() throws Exception {
        String token = token("eve", "viewer");
        List<EventFollower> followers = new ArrayList<>();
        try {
            for (int i = 0; i < 100; i++) followers.add(follower(token));
            assertThat(followers).allMatch(each -> each.status == 200);
            try (EventFollower more = follower(token)) {
                assertThat(more.status).isEqualTo(503);
            }
            try (EventFollower other = follower(token("joe", "viewer"))) {
                assertThat(other.status).isEqualTo(200);
            }
            add("q");
            for (EventFollower each : followers) each.awaitText("\"name\":\"q\"");
        } finally {
            followers.forEach(EventFollower::close);
        }
        await().atMost(Patience.LIMIT).until(() -> {
            try (EventFollower again = follower(token)) {
                return again.status == 200;
            }
        });
    }

    @Test
    void request_thatIsNoStream_isRefused() {
        assertThat(api.raw("GET", "/api/v1/events", null).statusCode()).isEqualTo(406);
        assertThat(api.raw("GET", "/api/v1/events?colour=red", null).statusCode())
                .isEqualTo(422);
        assertThat(api.raw(
                                "GET",
                                "/api/v1/events",
                                null,
                                "Accept",
                                "text/event-stream",
                                "Last-Event-ID",
                                "x".repeat(101))
                        .statusCode())
                .isEqualTo(422);
    }

    /** Browsers pass over an event without a line of data: each event has one, also {@code fresh} and a part that is empty. */
    @Test
    void eventsOfPages_haveALineOfData() throws Exception {
        try (Console open = super.console().start()) {
            HttpRequest request = HttpRequest.newBuilder(open.address().resolve("/stream?view=/jobs"))
                    .header("Accept", "text/event-stream")
                    .build();
            Set<String> events = new LinkedHashSet<>();
            Set<String> withData = new LinkedHashSet<>();
            try (Stream<String> body =
                    http.send(request, HttpResponse.BodyHandlers.ofLines()).body()) {
                String event = "";
                Iterator<String> lines = body.iterator();
                while (!events.contains("fresh") || !event.isEmpty()) {
                    String line = lines.next();
                    if (line.startsWith("event: ")) events.add(event = line.substring("event: ".length()));
                    else if (line.startsWith("data:")) withData.add(event);
                    else if (line.isEmpty()) event = "";
                }
            }
            assertThat(events).contains("part-jobs", "fresh");
            assertThat(withData).isEqualTo(events);
        }
    }

    @Test
    void streams_areHeldBackByNoProxy() throws Exception {
        String token = token("ann", "viewer");
        for (String path : new String[] {"/stream?view=/jobs", "/api/v1/events"}) {
            HttpResponse<InputStream> answer = http.send(
                    HttpRequest.newBuilder(console.address().resolve(path))
                            .header("Authorization", token)
                            .header("Accept", "text/event-stream")
                            .header("Accept-Encoding", "gzip")
                            .build(),
                    HttpResponse.BodyHandlers.ofInputStream());
            try (InputStream body = answer.body()) {
                assertThat(answer.headers().firstValue("Content-Type").orElseThrow())
                        .startsWith("text/event-stream");
                assertThat(answer.headers().firstValue("X-Accel-Buffering")).hasValue("no");
                assertThat(answer.headers().firstValue("Cache-Control")).hasValue("no-store");
                assertThat(answer.headers().firstValue("Content-Encoding")).isEmpty();
            }
        }
    }
}
