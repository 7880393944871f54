package dev.howdah.reach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.HttpPlace;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How many tasks are at a target at once and begin there within a time, whatever their groups. */
@PostgresTest
class ReachLimitsTest {
    private static final Duration PATIENCE = Patience.LIMIT;

    private final TestDatabase database;

    @TempDir
    Path directory;

    ReachLimitsTest(TestDatabase database) {
        this.database = database;
    }

    private ReachSettings settings(String limits) throws IOException {
        Path file = directory.resolve("reach.json");
        Files.writeString(file, "{\"limits\": " + limits + "}");
        return ReachSettings.of(List.of("http://127.0.0.1:*", "http://localhost:*"), file, Map.of());
    }

    @Test
    void concurrency_ofAPlace_holdsForAllGroupsAndTables_andIsReadAgain() throws Exception {
        AtomicInteger now = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CountDownLatch open = new CountDownLatch(1);
        try (HttpPlace place = new HttpPlace((exchange, seen) -> {
                    most.accumulateAndGet(now.incrementAndGet(), Math::max);
                    open.await();
                    now.decrementAndGet();
                    exchange.sendResponseHeaders(204, -1);
                });
                ReachingTasks tasks =
                        new ReachingTasks(database, settings("{\"http://127.0.0.1:*\": {\"concurrency\": 2}}"))) {
            tasks.execute("INSERT INTO task (\"group\", max, remote, input) SELECT 'g' || i % 3, 1000, '"
                    + place.address() + "/' || i, '' FROM generate_series(1, 30) i");
            Awaitility.await().atMost(PATIENCE).until(() -> now.get() == 2);
            // It takes nothing from others, of the same group either.
            assertThat(tasks.error("http://127.0.0.2:1/", "")).contains("may not reach");
            assertThat(database.value("SELECT count(*) FROM task WHERE state = 'PLAN'"))
                    .isEqualTo("28");
            tasks.reach.settings(settings("{\"http://127.0.0.1:*\": {\"concurrency\": 5}}"));
            Awaitility.await().atMost(PATIENCE).until(() -> now.get() == 5);
            open.countDown();
            Awaitility.await()
                    .atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(database.value("SELECT count(*) FROM task WHERE state = 'DONE'"))
                            .isEqualTo("30"));
            assertThat(most).hasValue(5);
        }
    }

    @Test
    void rate_ofAPlace_holdsInEachSecond() throws Exception {
        try (HttpPlace place = new HttpPlace((exchange, seen) -> exchange.sendResponseHeaders(204, -1));
                ReachingTasks tasks = new ReachingTasks(
                        database,
                        settings(
                                "{\"http://127.0.0.1:*\": {\"perSecond\": 5}, \"http://*:*\": {\"perMinute\": 100}}"))) {
            long begun = System.nanoTime();
            tasks.execute("INSERT INTO task (\"group\", max, remote, input) SELECT 'g' || i % 3, 1000, '"
                    + place.address() + "/', '' FROM generate_series(1, 16) i");
            Awaitility.await()
                    .atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(database.value("SELECT count(*) FROM task WHERE state = 'DONE'"))
                            .isEqualTo("16"));
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThan(Duration.ofSeconds(3));
        }
    }

    @Test
    void place_withoutRoom_holdsUpNoOther() throws Exception {
        CountDownLatch open = new CountDownLatch(1);
        AtomicInteger there = new AtomicInteger();
        try (HttpPlace slow = new HttpPlace((exchange, seen) -> {
                    there.incrementAndGet();
                    open.await();
                    exchange.sendResponseHeaders(204, -1);
                });
                HttpPlace quick = new HttpPlace((exchange, seen) -> exchange.sendResponseHeaders(204, -1));
                ReachingTasks tasks =
                        new ReachingTasks(database, settings("{\"" + slow.address() + "\": {\"concurrency\": 1}}"))) {
            tasks.execute("INSERT INTO task (\"group\", max, remote, input) SELECT 'g' || i, 1000, '" + slow.address()
                    + "/', '' FROM generate_series(1, 50) i");
            Awaitility.await().atMost(PATIENCE).until(() -> there.get() == 1);
            for (int i = 0; i < 5; i++)
                assertThat(tasks.output(quick.address() + "/", "")).isEmpty();
            assertThat(there).hasValue(1);
            open.countDown();
            Awaitility.await().atMost(PATIENCE).until(() -> there.get() == 50);
        }
    }

    @Test
    void limitOfAPath_isThatOfTheRequest_alsoWhereRemoteHasAnother() throws Exception {
        CountDownLatch open = new CountDownLatch(1);
        AtomicInteger slow = new AtomicInteger();
        try (HttpPlace place = new HttpPlace((exchange, seen) -> {
                    if (exchange.getRequestURI().getPath().startsWith("/slow/")) {
                        slow.incrementAndGet();
                        open.await();
                    }
                    exchange.sendResponseHeaders(204, -1);
                });
                ReachingTasks tasks = new ReachingTasks(
                        database, settings("{\"http://127.0.0.1:*/slow/*\": {\"concurrency\": 2}}"))) {
            // Paths of remote that have no limit, one with an option that is written in another way.
            for (String option : List.of("input=request", "%69nput=reques%74"))
                tasks.execute("INSERT INTO task (\"group\", max, remote, input) SELECT 'g' || i % 3, 1000, '"
                        + place.address() + "/free#" + option
                        + "', E'\\r\\n\\nPOST /slow/' || i || E'\\r\\n\\r\\n' FROM generate_series(1, 10) i");
            Awaitility.await().atMost(PATIENCE).until(() -> slow.get() == 2);
            // And one that has, where the request goes elsewhere. It ends after others would have begun.
            for (int i = 0; i < 3; i++)
                assertThat(tasks.output(place.address() + "/slow/#input=request", "PUT /quick/" + i))
                        .isEmpty();
            assertThat(slow).hasValue(2);
            assertThat(database.value("SELECT count(*) FROM task WHERE state = 'PLAN'"))
                    .isEqualTo("18");
            // What has changed since it was seen is judged as it is now.
            tasks.execute("UPDATE task SET input = E'POST /other\\n\\n' WHERE state = 'PLAN'");
            open.countDown();
            Awaitility.await()
                    .atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(database.value("SELECT count(*) FROM task WHERE state = 'DONE'"))
                            .isEqualTo("23"));
            assertThat(slow).hasValue(2);
        }
    }

    @Test
    void requestWithAnEndlessFirstLine_isRefused() {
        try (ReachingTasks tasks = new ReachingTasks(database, "http://127.0.0.1:*")) {
            assertThat(tasks.error("http://127.0.0.1:1/#input=request", "GET /" + "a".repeat(2_000)))
                    .contains("the path in its first line has more than 2000 characters");
            assertThat(tasks.error("http://127.0.0.1:1/#input=request", "\n".repeat(3_000) + "GET /"))
                    .contains("its first line has to be METHOD and a path");
        }
    }

    @Test
    void settings_thatAreWrong_areRefused() {
        for (Map.Entry<String, String> each : Map.of(
                        "{\"http://a=app\": {\"concurrency\": 1}}", "without =OWNER",
                        "{\"http://a\": {}}", "it has no limit",
                        "{\"http://a\": {\"concurrency\": 0}}", "\"concurrency\" has to be a number from 1 to 10000",
                        "{\"http://a\": {\"perSecond\": \"5\"}}", "\"perSecond\" has to be",
                        "{\"http://a\": {\"perHour\": 5}}", "there is no key \"perHour\"",
                        "{\"gopher\": {\"perSecond\": 5}}", "has to be https://HOST",
                        "[]", "has to be an object of places")
                .entrySet())
            assertThatThrownBy(() -> settings(each.getKey()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("limits")
                    .hasMessageContaining(each.getValue());
    }
}
