package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.operations.store.TokenStore;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the console runs with, and sessions of browsers that administrators end. */
class SettingsPagesTest extends ApiTestBase {
    private static final String SECRET = "hunter2-4711";

    private final TokenStore tokens;

    SettingsPagesTest(TestDatabase database) {
        super(database);
        this.tokens = new TokenStore(ConsoleFixtures.source(database), "howdah");
    }

    @Override
    ConsoleBuilder console() {
        return ConsoleFixtures.console(database)
                .login(true)
                .label("staging")
                .hosts(List.of("ops.example.com"))
                .trustedProxies(List.of("10.1.0.0/16"))
                .mask(List.of("tax_number"), List.of(SECRET))
                .programSettings(Map.of("--url", "postgresql://me:" + SECRET + "x@db/shop", "--workers", "10 (file)"));
    }

    @Override
    ApiClient client() {
        return new ApiClient(console.address(), "Bearer " + tokens.add("admin", "administrator", null, null));
    }

    /** The cookie of a session that the token of that role has opened. */
    private String session(String name, String role) {
        return new ConsoleClient(console.address())
                .post(
                        "/login",
                        "token=" + tokens.add(name, role, null, null),
                        "Origin",
                        console.address().toString())
                .headers()
                .firstValue("Set-Cookie")
                .map(each -> each.substring(0, each.indexOf(';')))
                .orElseThrow();
    }

    private int status(String path, String cookie) {
        return new ConsoleClient(console.address()).get(path, "Cookie", cookie).statusCode();
    }

    private String page(String cookie) {
        return ConsoleFixtures.text(new ConsoleClient(console.address()).get("/settings", "Cookie", cookie));
    }

    @Test
    void settings_areShownWithoutSecrets() {
        String viewer = page(session("ann", "viewer"));
        assertThat(viewer)
                .contains(
                        "PostgreSQL",
                        String.valueOf(database.value("SHOW server_version")).split(" ")[0])
                .contains("staging", "ops.example.com", "10.1.0.0/16", "tax_number", "1, not shown here", "365 days")
                .contains("public.task", "version of the tables of job", "a link of howdah console, or by a token")
                .contains("20 at most", "--workers", "10 (file)")
                .doesNotContain(SECRET, "Sessions of browsers");
        JsonNode settings = api.get("/settings").json().path("items");
        assertThat(settings.findValuesAsText("name")).contains("PostgreSQL", "base path", "--url");
        assertThat(settings.toString()).doesNotContain(SECRET).contains("tax_number");
    }

    @Test
    void session_thatAnAdministratorEnds_isOverAtOnceAndAudited() {
        String ann = session("ann", "viewer");
        String bob = session("bob", "administrator");
        assertThat(page(bob)).contains("Sessions of browsers", "token:ann", "token:bob");
        JsonNode sessions = api.get("/sessions").json().path("items");
        assertThat(sessions.findValuesAsText("name")).containsExactly("token:bob", "token:ann");
        assertThat(sessions.toString()).doesNotContain(ann.substring(ann.indexOf('=') + 1));
        String number = sessions.get(1).path("id").asText();
        assertThat(status("/jobs", ann)).isEqualTo(200);
        JsonNode ended = api.post("/sessions/" + number + "/end", null).json();
        assertThat(ended.path("name").asText()).isEqualTo("token:ann");
        assertThat(status("/jobs", ann)).isEqualTo(401);
        assertThat(status("/jobs", bob)).isEqualTo(200);
        assertThat(api.post("/sessions/" + number + "/end", null).status()).isEqualTo(404);
        assertThat(database.value("SELECT actor || ' ' || object || ' ' || outcome FROM howdah.audit"
                        + " WHERE action = 'sessions.end' AND message LIKE '%token:ann%'"))
                .isEqualTo("token:admin sessions/" + number + " done");
    }

    @Test
    void session_isEndedByThePage_forAdministratorsOnly() {
        String ann = session("ann", "operator");
        String bob = session("bob", "administrator");
        String number =
                api.get("/sessions").json().path("items").get(1).path("id").asText();
        String path = "/settings/sessions/" + number + "/end";
        assertThat(submit(ann, path, "confirmed=yes")).isEqualTo(403);
        assertThat(page(bob)).contains("action=\"" + path + "\"");
        // The question first.
        assertThat(submit(bob, path, "")).isEqualTo(200);
        assertThat(status("/jobs", ann)).isEqualTo(200);
        assertThat(submit(bob, path, "confirmed=yes")).isEqualTo(303);
        assertThat(status("/jobs", ann)).isEqualTo(401);
        assertThat(database.value("SELECT count(*) FROM howdah.audit WHERE object = 'settings/sessions/" + number
                        + "' AND outcome = 'done' AND message LIKE '%of token:ann, operator, has ended.'"))
                .isEqualTo("1");
    }

    private int submit(String cookie, String path, String form) {
        String page = page(cookie);
        int at = page.indexOf("name=\"csrf\" value=\"") + 19;
        String csrf = page.substring(at, page.indexOf('"', at));
        return new ConsoleClient(console.address())
                .post(
                        path,
                        "csrf=" + csrf + "&" + form,
                        "Cookie",
                        cookie,
                        "Origin",
                        console.address().toString())
                .statusCode();
    }
}
