package dev.howdah.console;

import static dev.howdah.console.ConsoleFixtures.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.TestDatabase;
import dev.howdah.operations.Role;
import dev.howdah.operations.store.TokenStore;
import java.net.http.HttpResponse;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tokens by the page and by the API: told once, listed without themselves, revoked. */
class TokenPagesTest extends ApiTestBase {
    private static final Pattern TOKEN = Pattern.compile("hd_[0-9a-f]{40}");

    private final TokenStore store;
    private ConsoleClient client;

    TokenPagesTest(TestDatabase database) {
        super(database);
        this.store = new TokenStore(ConsoleFixtures.source(database), "howdah");
    }

    @BeforeEach
    void open() {
        client = new ConsoleClient(console.address());
    }

    private static String token(String text) {
        Matcher found = TOKEN.matcher(text);
        if (!found.find()) throw new AssertionError("no token in " + text);
        return found.group();
    }

    private int status(String token) {
        return client.get("/jobs", "Authorization", "Bearer " + token).statusCode();
    }

    private String audit() {
        return String.valueOf(database.value("SELECT string_agg(a::text, '') FROM howdah.audit a"));
    }

    @Test
    void token_ofTheForm_isShownOnceAndOpensTheConsole() {
        assertThat(text(client.get("/tokens"))).contains("There are no tokens yet");
        HttpResponse<String> added = client.submit("/tokens", "/tokens/add", "name=ann&role=viewer&expires=90+d");
        String token = token(text(added));
        assertThat(added.headers().firstValue("Cache-Control")).hasValue("no-store");
        assertThat(added.headers().allValues("Set-Cookie").toString()).doesNotContain("hd_");
        assertThat(status(token)).isEqualTo(200);
        String list = text(client.get("/tokens"));
        assertThat(list).contains("ann", "viewer", "accepted", "local").doesNotContain("hd_");
        assertThat(audit()).contains("tokens.add", "ann", "viewer").doesNotContain(token);
        assertThat(database.value("SELECT created_by || ' ' || (expires - created) FROM howdah_internal.console_token"))
                .isEqualTo("local 90 days");
        assertThat(client.submit("/tokens", "/tokens/ann/revoke", "").body()).contains("Revoke token ann?");
        client.submit("/tokens", "/tokens/ann/revoke", "confirmed=yes");
        assertThat(store.find(TokenStore.hash(token))).isEmpty();
        assertThat(text(client.get("/tokens"))).contains("revoked").doesNotContain(">Revoke<");
    }

    @Test
    void form_offersEachRole() {
        String form = client.get("/tokens").body();
        for (Role each : Role.values()) assertThat(form).contains("<option value=\"" + each.text() + "\"");
    }

    @Test
    void token_thatCannotBe_isRefused() {
        client.submit("/tokens", "/tokens/add", "name=bob&role=viewer");
        for (String[] wrong : new String[][] {
            {"name=&role=viewer", "1 to 100 characters"},
            {"name=" + "x".repeat(101) + "&role=viewer", "not 101"},
            {"name=ann&role=root", "worker, producer, sender, viewer, operator, submitter, administrator"},
            {
                "name=ann&role=viewer&queues=mail",
                "queues are for tokens of workers, producers and senders, not of the role viewer"
            },
            {"name=ann&role=producer", "queues has to name those to which a producer may add"},
            {"name=ann&role=sender", "queues has to name those to which a sender may send signals"},
            {"name=ann&role=worker&queues=mail,", "a queue has 1 to 200 characters"},
            {"name=ann&role=viewer&expires=soon", "a period is written as"},
            {"name=ann&role=viewer&expires=367+d", "up to 366 days"},
            {"name=ann&role=viewer&expires=0+s", "up to 366 days"},
            {"name=bob&role=viewer", "already"}
        }) {
            HttpResponse<String> answer = client.submit("/tokens", "/tokens/add", wrong[0]);
            assertThat(answer.statusCode()).as(wrong[0]).isEqualTo(400);
            assertThat(answer.body()).as(wrong[0]).contains(wrong[1]);
        }
        assertThat(database.value("SELECT count(*) FROM howdah_internal.console_token"))
                .isEqualTo("1");
    }

    @Test
    void operator_seesAndMakesNoTokens() {
        String operator = "Bearer " + store.add("o", "operator", null, null);
        try (Console closed = console().login(true).start()) {
            ConsoleClient other = new ConsoleClient(closed.address());
            assertThat(other.get("/tokens", "Authorization", operator).statusCode())
                    .isEqualTo(403);
            assertThat(other.get("/jobs", "Authorization", operator).body()).doesNotContain("/tokens\"");
            for (String path : new String[] {"/tokens/add", "/tokens/o/revoke"})
                assertThat(other.post(path, "name=x&role=administrator&confirmed=yes", "Authorization", operator)
                                .statusCode())
                        .as(path)
                        .isEqualTo(403);
        }
        assertThat(database.value("SELECT count(*) FROM howdah_internal.console_token WHERE revoked IS NULL"))
                .isEqualTo("1");
    }

    @Test
    void queues_ofATokenOfTheForm_areListed() {
        HttpResponse<String> added =
                client.submit("/tokens", "/tokens/add", "name=shop&role=producer&queues=mail,+bills&expires=90+d");
        assertThat(store.find(TokenStore.hash(token(text(added)))).orElseThrow().queues())
                .containsExactly("mail", "bills");
        assertThat(text(client.get("/tokens"))).contains("producer", "mail, bills");
        ApiClient.Answer worker =
                api.post("/tokens", "{\"name\": \"w\", \"role\": \"worker\", \"queues\": [\"mail\"]}");
        assertThat(worker.status()).isEqualTo(201);
        assertThat(api.get("/tokens").json().toString())
                .contains("\"queues\":[\"mail\"]", "\"queues\":[\"mail\",\"bills\"]");
        assertThat(audit()).contains("tokens.add", "bills");
    }

    @Test
    void api_addsListsAndRevokes() {
        ApiClient.Answer added = api.post("/tokens", "{\"name\": \"w\", \"role\": \"worker\", \"expires\": \"P30D\"}");
        assertThat(added.status()).isEqualTo(201);
        String token = token(added.text("token"));
        assertThat(status(token)).as("a worker sees no page").isEqualTo(403);
        ApiClient.Answer list = api.get("/tokens");
        assertThat(list.json().at("/items/0/state").asText()).isEqualTo("accepted");
        assertThat(list.json().toString()).doesNotContain("hd_");
        assertThat(audit()).contains("tokens.add").doesNotContain(token);
        assertThat(api.post("/tokens", "{\"name\": \"w\", \"role\": \"worker\"}")
                        .status())
                .isEqualTo(422);
        assertThat(api.post("/tokens", "{\"name\": \"v\", \"role\": \"root\"}").status())
                .isEqualTo(422);
        assertThat(api.post("/tokens/w/revoke", null).json().path("changed").asBoolean())
                .isTrue();
        assertThat(api.post("/tokens/w/revoke", null).status()).isEqualTo(404);
        assertThat(api.get("/tokens").json().at("/items/0/state").asText()).isEqualTo("revoked");
    }
}
