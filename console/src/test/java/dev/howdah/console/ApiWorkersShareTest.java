package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.operations.store.TokenStore;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** How the sets of queues and kinds that workers may ask for are shared between tokens. */
class ApiWorkersShareTest extends ApiTestBase {
    private static final int SETS = 20;

    private final TokenStore tokens;

    ApiWorkersShareTest(TestDatabase database) {
        super(database);
        this.tokens = new TokenStore(ConsoleFixtures.source(database), "howdah");
    }

    private ApiClient worker(String name) {
        return new ApiClient(console.address(), null, "Bearer " + tokens.add(name, "worker", null, null));
    }

    private static String claim(String kinds, int wait) {
        return "{\"kinds\": [" + kinds + "], \"lease\": 3600, \"wait\": " + wait + "}";
    }

    private int nodes() {
        return Integer.parseInt(String.valueOf(database.value("SELECT count(*) FROM howdah_internal.node")));
    }

    private String add(String kind) {
        return api.post("/jobs", "{\"kind\": \"" + kind + "\"}").text("id");
    }

    /** Claims a job of that kind, by a set of its own, which is in use from then on. */
    private ApiClient.Answer begin(ApiClient worker, String kind) {
        String id = add(kind);
        ApiClient.Answer claimed = worker.post("/workers/claim", claim("\"" + kind + "\"", 25));
        if (claimed.status() == 200)
            assertThat(claimed.json().at("/claims/0/id").asText()).as(kind).isEqualTo(id);
        return claimed;
    }

    private static void assertRefused(ApiClient.Answer answer) {
        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.response().headers().firstValue("Retry-After")).isPresent();
        assertThat(answer.text("type")).isEqualTo("urn:howdah:problem:unavailable");
    }

    private void begins(ApiClient worker, String kind) {
        ApiClient.Answer claimed = begin(worker, kind);
        assertThat(claimed.status()).as(kind + ": " + claimed.response().body()).isEqualTo(200);
    }

    @Test
    void token_thatAsksForManySets_leavesSomeToOthers() {
        ApiClient greedy = worker("greedy");
        for (int i = 0; i < SETS / 2; i++) begins(greedy, "a" + i);
        ApiClient.Answer refused = begin(greedy, "one-more");
        assertRefused(refused);
        assertThat(refused.text("detail"))
                .startsWith("token:greedy has 10 of the 20 sets of queues and kinds that workers may ask for, and the"
                        + " other 10 are left to other tokens; let workers ask for the same sets");
        // Under a new token of the same name it is the same worker.
        tokens.revoke("greedy");
        assertRefused(begin(worker("greedy"), "one-more"));
        for (String other : List.of("b", "c", "d")) begins(worker(other), other);
        // Nothing was claimed for the requests that were refused.
        assertThat(database.value("SELECT string_agg(state, ' ') FROM howdah.jobs WHERE kind = 'one-more'"))
                .isEqualTo("waiting waiting");
    }

    @Test
    void kinds_inAnotherOrderAndTwice_areTheSameSet() {
        ApiClient worker = worker("w");
        CompletableFuture<ApiClient.Answer> first = worker.postLater("/workers/claim", claim("\"a\", \"b\"", 25));
        await().atMost(Patience.LIMIT).until(() -> nodes() == 1);
        CompletableFuture<ApiClient.Answer> second =
                worker.postLater("/workers/claim", claim("\"b\", \"a\", \"b\"", 25));
        for (String kind : List.of("a", "b")) add(kind);
        for (CompletableFuture<ApiClient.Answer> each : List.of(first, second))
            assertThat(each.join().json().path("claims")).hasSize(1);
        assertThat(nodes()).isEqualTo(1);
    }

    /** Where no login is needed all workers are one caller, and its share is not bounded; sets without requests make room. */
    @Test
    void set_thatIsNotInUse_makesRoomForANewcomer() {
        for (int i = 1; i < SETS; i++) begins(api, "a" + i);
        assertThat(api.post("/workers/claim", claim("\"idle\"", 1)).json().path("claims"))
                .isEmpty();
        assertThat(nodes()).isEqualTo(SETS);
        ApiClient newcomer = worker("newcomer");
        add("new");
        await().atMost(Patience.LIMIT)
                .until(() ->
                        newcomer.post("/workers/claim", claim("\"new\"", 25)).status() == 200);
        // Those that are in use were not closed for that.
        assertThat(nodes()).isEqualTo(SETS);
        ApiClient.Answer refused = begin(worker("another"), "other");
        assertRefused(refused);
        assertThat(refused.text("detail"))
                .startsWith("workers ask for 20 different sets of queues and kinds, which is the most; ");
    }
}
