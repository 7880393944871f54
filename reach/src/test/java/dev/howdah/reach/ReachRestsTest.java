package dev.howdah.reach;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.HttpPlace;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.spi.Metrics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tasks wait for a host that could not serve the last ones. */
@PostgresTest
class ReachRestsTest {
    private static final Duration PATIENCE = Patience.LIMIT;

    private final TestDatabase database;

    /** With which status a server answers, and what it asks for. */
    private final AtomicInteger status = new AtomicInteger(503);

    private final AtomicReference<String> retryAfter = new AtomicReference<>("");
    private final Queue<Long> times = new ConcurrentLinkedQueue<>();

    @TempDir
    Path directory;

    ReachRestsTest(TestDatabase database) {
        this.database = database;
    }

    private HttpPlace place() throws IOException {
        return new HttpPlace((exchange, seen) -> {
            times.add(System.nanoTime());
            String asked = Objects.requireNonNull(retryAfter.get());
            if (!asked.isEmpty()) exchange.getResponseHeaders().add("Retry-After", asked);
            exchange.sendResponseHeaders(status.get(), -1);
        });
    }

    private void add(ReachingTasks tasks, HttpPlace place, int count) {
        tasks.execute("INSERT INTO task (\"group\", remote, input) SELECT 'g', '" + place.address()
                + "/pay', '' FROM generate_series(1, " + count + ")");
    }

    private void awaitStates(String state, int count) {
        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(database.value("SELECT count(*) FROM task WHERE state = '" + state + "'"))
                                .isEqualTo(Integer.toString(count)));
    }

    private Duration between(int one, int other) {
        List<Long> all = List.copyOf(times);
        return Duration.ofNanos(all.get(other) - all.get(one));
    }

    @Test
    void placeThatIsDown_rests_oneTries_andAllGoOnWithoutAnAttemptSpent() throws Exception {
        AtomicReference<Double> gauge = new AtomicReference<>(-1.0);
        try (HttpPlace place = place();
                HttpPlace other = new HttpPlace((exchange, seen) -> exchange.sendResponseHeaders(204, -1));
                ReachingTasks tasks = new ReachingTasks(database, "http://127.0.0.1:*")) {
            tasks.reach.metrics(gauges(gauge));
            add(tasks, place, 20);
            Awaitility.await().atMost(PATIENCE).until(() -> times.size() == 5);
            Awaitility.await().atMost(PATIENCE).until(() -> Objects.equals(gauge.get(), 1.0));
            assertThat(tasks.output(other.address() + "/", ""))
                    .as("another host")
                    .isEmpty();
            assertThat(tasks.reach.permit(place.address() + "/pay", "postgres", null, () -> {}))
                    .isNull();
            assertThat(tasks.reach.permit(place.address() + "/pay", "another", null, () -> {}))
                    .as("tasks of another owner")
                    .isNotNull();
            assertThat(tasks.reach.permit(place.address() + "/pay#as=other", "postgres", null, () -> {}))
                    .as("another credential, which may have another share of the host")
                    .isNotNull();
            awaitStates("FAIL", 7);
            assertThat(between(4, 5)).isBetween(Duration.ofMillis(900), Duration.ofMillis(1_900));
            assertThat(between(5, 6)).isGreaterThan(Duration.ofMillis(1_900));
            assertThat(database.value("SELECT count(*) FROM task WHERE state = 'PLAN' AND start IS NULL"))
                    .isEqualTo("13");
            status.set(204);
            awaitStates("DONE", 14);
            assertThat(times).hasSize(20);
            Awaitility.await().atMost(PATIENCE).until(() -> Objects.equals(gauge.get(), 0.0));
        }
    }

    private static Metrics gauges(AtomicReference<Double> value) {
        return new Metrics() {
            @Override
            public Counter counter(String name, String help, Map<String, String> labels) {
                return count -> {};
            }

            @Override
            public Timer timer(String name, String help, Map<String, String> labels) {
                return nanos -> {};
            }

            @Override
            public Gauge gauge(String name, String help, Map<String, String> labels) {
                assertThat(name).isEqualTo("howdah_places_resting");
                return value::set;
            }
        };
    }

    @Test
    void retryAfter_makesTheRestLonger_andSettingsThatAreReadAgainEndIt() throws Exception {
        status.set(429);
        retryAfter.set("3");
        try (HttpPlace place = place();
                ReachingTasks tasks = new ReachingTasks(database, place.address())) {
            add(tasks, place, 9);
            Awaitility.await().atMost(PATIENCE).until(() -> times.size() == 5);
            // For the one that tries: it is asked for an hour at most.
            retryAfter.set("9999999");
            Awaitility.await().atMost(PATIENCE).until(() -> times.size() == 6);
            assertThat(between(4, 5)).isGreaterThan(Duration.ofMillis(2_900));
            awaitStates("FAIL", 6);
            assertThat(tasks.reach.hasRoom(place.address() + "/pay", "postgres", null))
                    .isFalse();
            status.set(204);
            tasks.reach.settings(ReachSettings.of(List.of(place.address())));
            awaitStates("DONE", 3);
        }
    }

    @Test
    void answersOfAnotherKind_andPlacesWithoutRests_goOn() throws Exception {
        Path file = directory.resolve("reach.json");
        try (HttpPlace place = place()) {
            Files.writeString(file, "{\"limits\": {\"" + place.address() + "\": {\"rest\": false}}}");
            ReachSettings settings = ReachSettings.of(List.of(place.address()), file, Map.of());
            try (ReachingTasks tasks = new ReachingTasks(database, settings)) {
                add(tasks, place, 8);
                awaitStates("FAIL", 8);
                tasks.reach.settings(ReachSettings.of(List.of(place.address())));
                for (int i = 0; i < 3; i++) {
                    status.set(503);
                    for (int j = 0; j < 4; j++) tasks.error(place.address() + "/", "");
                    // The host works.
                    status.set(402);
                    tasks.error(place.address() + "/", "");
                }
                assertThat(tasks.reach.hasRoom(place.address(), "postgres", null))
                        .isTrue();
            }
        }
    }

    @Test
    void hostsThatCannotBeReached_rest_whateverTheScheme() throws Exception {
        Path file = directory.resolve("reach.json");
        Path secret = directory.resolve("secret");
        Files.writeString(secret, "geheim");
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        Files.writeString(
                file,
                "{\"private\": [\"smtp://127.0.0.1:*\"], \"senders\": [\"a@example.com\"], \"credentials\": {\"net\":"
                        + " {\"kind\": \"login\", \"user\": \"net\", \"file\": \"secret\", \"for\": \"ssh://127.0.0.1:*\"}}}");
        Files.writeString(directory.resolve("known_hosts"), "");
        List<String> allowed =
                List.of("http://127.0.0.1:*", "http://no-such-host.invalid", "smtp://127.0.0.1:*", "ssh://127.0.0.1:*");
        try (ReachingTasks tasks = new ReachingTasks(database, ReachSettings.of(allowed, file, Map.of()))) {
            String mail =
                    "{\"from\": \"a@example.com\", \"to\": \"b@example.com\", \"subject\": \"s\", \"text\": \"t\"}";
            for (Map.Entry<String, String> each : Map.of(
                            "http://127.0.0.1:1",
                            "",
                            "http://no-such-host.invalid",
                            "",
                            "smtp://127.0.0.1:1?tls=none",
                            mail,
                            "ssh://127.0.0.1:1?as=net",
                            "date")
                    .entrySet()) {
                for (int i = 0; i < 4; i++) tasks.error(each.getKey(), each.getValue());
                assertThat(tasks.reach.hasRoom(each.getKey(), "postgres", null))
                        .as(each.getKey())
                        .isTrue();
                String error = tasks.error(each.getKey(), each.getValue());
                assertThat(tasks.reach.hasRoom(each.getKey(), "postgres", null))
                        .as(() -> each.getKey() + ": " + error)
                        .isFalse();
            }
        }
    }
}
