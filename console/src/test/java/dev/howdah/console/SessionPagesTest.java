package dev.howdah.console;

import static dev.howdah.console.ConsoleFixtures.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.operations.store.TokenStore;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Sessions that hold others up, on the page of the database and in the API. */
class SessionPagesTest extends ApiTestBase {
    private ConsoleClient client;
    private Connection holder;
    private String pid;
    private String started;

    SessionPagesTest(TestDatabase database) {
        super(database);
    }

    @BeforeEach
    void hold() throws SQLException {
        client = new ConsoleClient(console.address());
        database.execute("SELECT howdah.add('mail', 'send', '1')");
        holder = database.connect();
        try (Statement statement = holder.createStatement()) {
            statement.execute("SET application_name = '<b>report</b>'; BEGIN ISOLATION LEVEL REPEATABLE READ;"
                    + " SELECT 'password=hunter22' AS held");
        }
        JsonNode session = session();
        pid = session.path("pid").asText();
        started = session.path("started").asText();
    }

    @AfterEach
    void release() throws SQLException {
        holder.close();
    }

    private JsonNode session() {
        for (JsonNode each : api.get("/database/sessions?limit=500").json().path("items"))
            if (each.path("database").asText().equals(database.name())
                    && each.path("application").asText().contains("report")) return each;
        throw new AssertionError("the session is not listed");
    }

    private boolean isListed() {
        return api.get("/database/sessions?limit=500").json().toString().contains("\"pid\":" + pid + ",");
    }

    private HttpResponse<String> post(String verb, String form) {
        return client.post("/database/sessions/" + pid + "/" + verb, form);
    }

    @Test
    void page_namesTheSession_andEndsItAfterAQuestion() {
        String page = text(client.get("/database"));
        assertThat(page)
                .contains("Sessions with an open transaction")
                .contains("data-row=\"" + pid + " " + started)
                .contains("&lt;b&gt;report&lt;/b&gt;")
                .contains("End session " + pid)
                .doesNotContain("hunter22");
        String form = "started=" + started;
        assertThat(post("terminate", form).body())
                .contains("End session " + pid + " (postgres, &lt;b&gt;report&lt;/b&gt;")
                .contains("Its transaction is rolled back")
                .doesNotContain("hunter22");
        assertThat(post("cancel", form).body()).contains("Cancel the statement of session " + pid);
        assertThat(post("terminate", "started=2020-01-01T00:00:00Z").statusCode())
                .isEqualTo(404);
        HttpResponse<String> other = post("terminate", "started=2020-01-01T00:00:00Z&confirmed=yes");
        assertThat(other.statusCode()).isEqualTo(404);
        assertThat(post("terminate", "confirmed=yes").body()).contains("started is missing");
        assertThat(isListed()).isTrue();
        assertThat(post("terminate", form + "&confirmed=yes").statusCode()).isEqualTo(303);
        assertThat(isListed()).isFalse();
        assertThat(text(client.get("/audit?object=database/sessions/" + pid)))
                .contains("database-sessions.terminate", "Session " + pid + " has ended.")
                .doesNotContain("hunter22");
        assertThat(database.value("SELECT before ->> 'application' FROM howdah.audit WHERE begun IS NULL"
                        + " AND action = 'database-sessions.terminate' LIMIT 1"))
                .isEqualTo("<b>report</b>");
    }

    @Test
    void api_cancelsAndTerminates_forAdministratorsOnly() {
        JsonNode session = session();
        assertThat(session.path("state").asText()).isEqualTo("idle in transaction");
        assertThat(session.path("held_transactions").asText()).matches("\\d+");
        assertThat(session.path("query").asText()).contains("***").doesNotContain("hunter22");
        String path = "/database/sessions/" + pid + "/";
        assertThat(api.post(path + "cancel", "{\"started\": \"" + started + "\"}")
                        .json()
                        .path("changed")
                        .asBoolean())
                .isTrue();
        assertThat(isListed()).isTrue();
        assertThat(api.post(path + "terminate", "{\"started\": \"2020-01-01T00:00:00Z\"}")
                        .status())
                .isEqualTo(404);
        assertThat(api.post(path + "terminate", "{}").status()).isEqualTo(422);
        assertThat(api.post("/database/sessions/x/terminate", "{\"started\": \"" + started + "\"}")
                        .status())
                .isEqualTo(404);
        for (String role : new String[] {"viewer", "operator"}) {
            String token = new TokenStore(ConsoleFixtures.source(database), "howdah").add(role, role, null, null);
            assertThat(client.get("/database", "Authorization", "Bearer " + token)
                            .body())
                    .contains("<h2>Sessions with an open transaction</h2>")
                    .doesNotContain("End session");
            assertThat(client.post(
                                    "/database/sessions/" + pid + "/terminate",
                                    "started=" + started + "&confirmed=yes",
                                    "Authorization",
                                    "Bearer " + token)
                            .statusCode())
                    .isEqualTo(403);
        }
        assertThat(isListed()).isTrue();
        assertThat(api.post(path + "terminate", "{\"started\": \"" + started + "\"}")
                        .json()
                        .path("changed")
                        .asBoolean())
                .isTrue();
        await().until(() -> !isListed());
    }

    @Test
    void privilegeThatIsMissing_isNamedWithItsGrant() {
        // Makes the audit table.
        api.post("/database/sessions/" + pid + "/cancel", "{\"started\": \"" + started + "\"}");
        String role = database.name() + "_console";
        database.execute("CREATE ROLE " + role + " LOGIN; GRANT pg_read_all_stats TO " + role
                + "; GRANT USAGE ON SCHEMA howdah TO " + role + "; GRANT SELECT, INSERT ON howdah.audit TO " + role);
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl("jdbc:" + database.uri().replace("postgres@", "") + "?user=" + role);
        try (Console restricted = Console.on(source).port(0).start()) {
            ApiClient other = new ApiClient(restricted.address());
            String path = "/database/sessions/" + pid + "/terminate";
            assertThat(other.post(path, "{\"started\": \"" + started + "\"}").text("detail"))
                    .contains("session " + pid + " is one of the superuser postgres");
            assertThat(other.post(path, "{\"started\": \"" + started + "\"}").status())
                    .isEqualTo(403);
            ConsoleClient browser = new ConsoleClient(restricted.address());
            assertThat(browser.submit(
                                    "/database",
                                    "/database/sessions/" + pid + "/terminate",
                                    "started=" + started + "&confirmed=yes")
                            .statusCode())
                    .isEqualTo(303);
            assertThat(isListed()).isTrue();
        } finally {
            database.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '" + role + "'");
            await().until(() ->
                    "0".equals(database.value("SELECT count(*) FROM pg_stat_activity WHERE usename = '" + role + "'")));
            database.execute("DROP OWNED BY " + role + "; DROP ROLE " + role);
        }
    }
}
