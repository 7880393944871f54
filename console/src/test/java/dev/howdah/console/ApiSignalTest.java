package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Signals by the API: each counts once, and what no wait has read is shown. */
class ApiSignalTest extends ApiTestBase {
    private static final Kind<Integer> PAY = Kind.of("pay", Integer.class);

    private final List<Object> read = new CopyOnWriteArrayList<>();

    ApiSignalTest(TestDatabase database) {
        super(database);
    }

    private ApiClient.Answer signal(String id, String payload, String key) {
        return api.post(
                "/jobs/" + id + "/signal",
                "{\"name\": \"paid\", \"payload\": " + payload + "}",
                "Idempotency-Key",
                key);
    }

    private void awaitState(String id, String state) {
        await().atMost(Patience.LIMIT)
                .until(() -> api.get("/jobs/" + id).text("state").equals(state));
    }

    @Test
    void signal_sentAgainWithItsKey_isReadOnce_alsoWhenTheJobHasEnded() {
        try (Jobs jobs = Jobs.on(ConsoleFixtures.source(database))
                .handle(
                        PAY,
                        (payload, job) -> read.add(job.awaitOrFail("paid", Integer.class, Duration.ofDays(1))
                                .payload()))
                .start()) {
            String id = Long.toString(jobs.add(PAY, 1));
            awaitState(id, "suspended");
            int first = signal(id, "7", "k").status();
            assertThat(first).isBetween(200, 202);
            assertThat(signal(id, "7", "k").status()).isEqualTo(first);
            awaitState(id, "done");
            assertThat(signal(id, "7", "k").status()).isEqualTo(first);
            assertThat(signal(id, "8", "k").text("type")).isEqualTo("urn:howdah:problem:key-reused");
            assertThat(signal(id, "8", "other").status()).isEqualTo(409);
        }
        assertThat(read).containsExactly(7);
    }

    @Test
    void signal_toARunThatDoesNotWait_isShownAsUnread() throws Exception {
        CountDownLatch sent = new CountDownLatch(1);
        try (Jobs jobs = Jobs.on(ConsoleFixtures.source(database))
                .handle(PAY, (payload, job) -> sent.await())
                .start()) {
            String id = Long.toString(jobs.add(PAY, 1));
            awaitState(id, "running");
            assertThat(signal(id, "7", "u").status()).isBetween(200, 202);
            sent.countDown();
            awaitState(id, "done");
            JsonNode signals = api.get("/jobs/" + id + "/history").json().path("signals");
            assertThat(signals).hasSize(1);
            assertThat(signals.get(0).path("name").asText()).isEqualTo("paid");
            assertThat(signals.get(0).has("read")).isFalse();
            assertThat(signals.get(0).path("sender").asText()).isNotEmpty();
        }
    }
}
