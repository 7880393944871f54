package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.TestDatabase;
import dev.howdah.operations.list.ListModel;
import dev.howdah.operations.listed.Lists;
import dev.howdah.operations.store.TokenStore;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which role may read which page and send which form. The routes are those of the server: one without a decision here fails. */
class PageRolesTest extends ApiTestBase {
    private static final String ANYBODY = "anybody";

    /** The role that each route needs, those of the API left out. */
    private static final Map<String, String> NEEDED = needed();

    private final HttpClient http = HttpClient.newHttpClient();
    private final TokenStore tokens;

    PageRolesTest(TestDatabase database) {
        super(database);
        this.tokens = new TokenStore(ConsoleFixtures.source(database), "howdah");
    }

    private static Map<String, String> needed() {
        Map<String, String> needed = new LinkedHashMap<>();
        for (String each : """
                anybody GET /static/{digest}/{name}, /login, /signals/{token}
                anybody POST /login, /login-link, /signals/{token}
                viewer GET /stream, /*
                viewer POST /logout, /*
                viewer GET /mcp
                viewer POST /mcp
                viewer DELETE /mcp
                administrator GET /audit, /tokens
                viewer GET /, /search, /database, /settings, /nodes, /nodes/{id}, /bulk, /bulk/{id}
                viewer GET /tasks, /tasks/groups, /tasks/{id}, /workflows, /workflows/{id}
                viewer GET /jobs, /jobs/errors, /jobs/errors/one, /jobs/{id}, /jobs/queues, /jobs/queues/{queue}
                viewer GET /schedules, /schedules/{name}, /calendars, /sweeps, /sweeps/{name}
                viewer GET /processes, /processes/{namespace}, /processes/{namespace}/{id}
                administrator GET /tasks/new, /tasks/{id}/edit, /jobs/new, /schedules/new, /schedules/{name}/edit
                administrator GET /calendars/new, /calendars/{name}, /sweeps/new, /sweeps/{name}/start
                administrator POST /tasks/new, /tasks/{id}/edit, /jobs/new, /schedules/new, /schedules/{name}/edit
                administrator POST /calendars/new, /calendars/{name}/edit, /sweeps/new, /sweeps/{name}/start
                administrator POST /tasks/{id}/delete, /jobs/{id}/delete, /jobs/{id}/payload, /task-schedules/{name}/remove, /task-schedules/put
                administrator POST /calendars/{name}/add-days, /calendars/{name}/remove-days
                administrator POST /schedules/{name}/remove, /sweeps/{name}/remove, /install/{feature}, /uninstall/{feature}
                submitter POST /processes/{namespace}
                administrator POST /processes/{namespace}/{id}/remove
                administrator POST /tokens/add, /tokens/{name}/revoke, /settings/sessions/{number}/end
                administrator POST /database/sessions/{pid}/cancel, /database/sessions/{pid}/terminate
                operator POST /tasks/change, /tasks/resume, /tasks/{id}/resume, /tasks/{id}/retry, /tasks/{id}/cancel
                operator POST /task-schedules/{name}/run-now, /task-schedules/{name}/pause
                operator POST /task-schedules/{name}/resume, /workflows/{id}/close
                operator POST /workflows/{id}/cancel, /bulk/{id}/stop
                operator POST /jobs/change, /jobs/errors/change, /jobs/{id}/retry, /jobs/{id}/cancel
                operator POST /jobs/{id}/run-now, /jobs/{id}/priority, /jobs/{id}/move, /jobs/{id}/tags, /jobs/{id}/signal
                operator POST /jobs/{id}/rerun, /jobs/{id}/drop-record, /jobs/{id}/reschedule, /events/{topic}/emit
                operator POST /jobs/queues/{queue}/pause, /jobs/queues/{queue}/resume
                operator POST /jobs/queues/{queue}/run-retries-now, /jobs/queues/{queue}/limit
                operator POST /jobs/queues/{queue}/rate-limit, /jobs/queues/{queue}/share
                administrator POST /retention/put, /retention/{outcome}/put, /retention/{outcome}/remove
                administrator POST /pipelines/{name}/remove
                administrator POST /tags/count, /tags/{tag}/count, /tags/{tag}/uncount
                operator POST /jobs/queues/{queue}/add-reader, /jobs/queues/{queue}/seek
                operator POST /jobs/queues/{queue}/limit-unread
                administrator POST /jobs/queues/create, /jobs/queues/{queue}/create, /jobs/queues/{queue}/drop-reader
                operator POST /jobs/queues/{queue}/ageing, /jobs/queues/{queue}/remove-limit
                operator POST /schedules/{name}/run-now, /schedules/{name}/pause, /schedules/{name}/resume
                operator POST /sweeps/{name}/pause, /sweeps/{name}/resume, /sweeps/{name}/stop
                operator POST /sweeps/{name}/throttle, /sweeps/{name}/between, /sweeps/{name}/retry-failed
                operator POST /processes/{namespace}/change, /processes/{namespace}/{id}/call
                operator POST /processes/{namespace}/{id}/notify, /processes/{namespace}/{id}/repair
                operator POST /processes/{namespace}/{id}/simple-repair
                operator POST /processes/{namespace}/{id}/notice-again, /processes/{namespace}/{id}/notice-skip
                """.split("\n")) {
            String[] words = each.split(" ", 3);
            for (String path : words[2].split(", ")) needed.put(words[1] + " " + path, words[0]);
        }
        for (ListModel<?> each : Lists.all())
            needed.put("GET /files" + each.path(), each.role().text());
        for (String path : List.of("/attention", "/changes", "/search", "/settings"))
            needed.put("GET /files" + path, "viewer");
        needed.put("GET /files/sessions", "administrator");
        return needed;
    }

    @Override
    ConsoleBuilder console() {
        return ConsoleFixtures.console(database).login(true).startSweeps(ConsoleFixtures.source(database));
    }

    @Override
    ApiClient client() {
        return new ApiClient(console.address());
    }

    private int status(String method, String path, @Nullable String token) throws Exception {
        String query = path.equals("/stream") ? "?view=/jobs" : path.startsWith("/files/") ? "?format=csv" : "";
        // An id, and a name, that nothing has.
        String given = path.replace("/*", "/nothing").replaceAll("\\{[^}]*}", "7") + query;
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(console.address() + given))
                .header("Content-Type", path.equals("/mcp") ? "application/json" : "application/x-www-form-urlencoded")
                .method(
                        method,
                        method.equals("POST")
                                ? HttpRequest.BodyPublishers.ofString("")
                                : HttpRequest.BodyPublishers.noBody());
        if (token != null) request.header("Authorization", token);
        HttpResponse<InputStream> answer = http.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
        answer.body().close();
        return answer.statusCode();
    }

    private static boolean may(String role, String needed) {
        List<String> roles = List.of("viewer", "operator", "submitter", "administrator");
        return roles.indexOf(role) >= roles.indexOf(needed);
    }

    @Test
    void eachRole_atEachPageAndForm_mayDoWhatWasDecidedAndNothingElse() throws Exception {
        Set<String> routes = console.routes().stream()
                .filter(each -> !each.contains(" /api/") && each.matches("(GET|POST|PUT|PATCH|DELETE) .*"))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(routes).isEqualTo(new TreeSet<>(NEEDED.keySet()));
        Map<String, String> callers = new LinkedHashMap<>();
        for (String role : List.of("worker", "producer", "sender", "viewer", "operator", "submitter", "administrator"))
            callers.put(
                    role,
                    "Bearer "
                            + tokens.add(
                                    "a-" + role,
                                    role,
                                    null,
                                    null,
                                    List.of("producer", "sender").contains(role)
                                            ? new String[] {"mail"}
                                            : new String[0]));
        List<String> wrong = new ArrayList<>();
        for (Map.Entry<String, String> each : NEEDED.entrySet()) {
            if (each.getValue().equals(ANYBODY)) continue;
            String path = each.getKey().substring(each.getKey().indexOf(' ') + 1);
            String method = each.getKey().substring(0, each.getKey().indexOf(' '));
            for (String verb : method.equals("GET") ? List.of("GET", "HEAD") : List.of(method)) {
                if (status(verb, path, null) != 401 && method.equals("GET")) wrong.add("nobody " + verb + " " + path);
                for (String role : callers.keySet()) {
                    int status = status(verb, path, callers.get(role));
                    if (may(role, each.getValue()) ? status == 401 || status == 403 : status != 403)
                        wrong.add(role + " " + verb + " " + path + " " + status);
                }
            }
        }
        assertThat(wrong).isEmpty();
        for (String form : List.of("/tasks/change", "/jobs/change", "/processes/7/change"))
            assertThat(deletes(form, callers.get("operator"))).as(form).isEqualTo(403);
        assertThat(status("POST", "/jobs/7/retry", null)).isIn(401, 403);
    }

    /** A form of many, which operators may send, that asks for what they may not. */
    private int deletes(String path, @Nullable String token) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(console.address() + path))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .header("Authorization", String.valueOf(token))
                .POST(HttpRequest.BodyPublishers.ofString(
                        "id=7&action=" + (path.startsWith("/processes") ? "remove" : "delete")))
                .build();
        return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
    }
}
