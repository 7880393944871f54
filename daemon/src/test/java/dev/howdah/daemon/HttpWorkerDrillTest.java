package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.ClientLanguage;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Workers and producers over HTTP with faults on the way. What they were told is compared with the database: nothing that was added is lost
 * or doubled, no claim is begun twice, and what was told as done is not begun again.
 */
@PostgresTest
@Tag("long")
class HttpWorkerDrillTest {
    /** A claim in an answer: its token and its job. */
    private static final Pattern CLAIM = Pattern.compile("\"token\":\"([^\"]+)\",\"id\":\"(\\d+)\"");

    private static final Pattern ID = Pattern.compile("\"id\":\"(\\d+)\"");

    /** What is read while workers work. */
    private static final List<String> PAGES = List.of(
            "/",
            "/tasks",
            "/jobs",
            "/jobs?state=waiting",
            "/jobs?state=done",
            "/jobs?state=failed",
            "/jobs/queues",
            "/jobs/queues/default",
            "/jobs/errors",
            "/workflows",
            "/schedules",
            "/nodes",
            "/database",
            "/audit",
            "/api/v1/jobs?state=done",
            "/api/v1/queues",
            "/api/v1/overview");

    private final TestDatabase database;
    private final HttpClient http = HttpClient.newHttpClient();
    private final Queue<String> violations = new ConcurrentLinkedQueue<>();
    private final Set<String> begun = ConcurrentHashMap.newKeySet();
    private final Map<String, Long> done = new ConcurrentHashMap<>();
    private final AtomicBoolean over = new AtomicBoolean();
    private String token = "";

    HttpWorkerDrillTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeEach
    void install() throws Exception {
        try (Connection connection = database.connect()) {
            Jobs.install(connection);
        }
        token = CommandLineRun.of("token", "add", "drill", "--role", "administrator", "--url", database.uri())
                .out()
                .strip();
    }

    private HowdahProcess daemon(Path home) throws IOException {
        return HowdahProcess.start(
                home, Map.of(), "up", "--url", database.uri(), "--port", "0", "--console-login", "token", "--json");
    }

    private static String address(HowdahProcess daemon) throws IOException {
        return "http://" + URI.create(daemon.ready().get("console")).getAuthority();
    }

    /** An answer; null: none came. */
    private record Answer(int status, String body) {}

    private @Nullable Answer send(String address, String path, @Nullable String body, @Nullable String key)
            throws InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(address + path))
                .timeout(Duration.ofSeconds(60))
                .header("Content-Type", "application/json")
                .header("Authorization", "Bearer " + token);
        if (body == null) request.GET();
        else request.POST(HttpRequest.BodyPublishers.ofString(body));
        if (key != null) request.header("Idempotency-Key", key);
        try {
            HttpResponse<String> answer = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
            return new Answer(answer.statusCode(), answer.body());
        } catch (IOException e) {
            return null;
        }
    }

    /** The same request until it is answered, other than by an answer that asks for that. */
    private Answer insist(String address, String path, String body, @Nullable String key) throws InterruptedException {
        while (true) {
            Answer answer = send(address, path, body, key);
            if (answer != null && answer.status() < 500 && answer.status() != 429) return answer;
            if (answer != null && answer.status() != 503) violations.add(path + " was answered " + answer.status());
            if (over.get()) throw new InterruptedException(path + " is not answered any more");
        }
    }

    /** Claims, works and completes until all is over, by the rules of the guide. */
    private void work(String address, String kind, int most) throws InterruptedException {
        while (!over.get()) {
            Answer claimed = insist(
                    address,
                    "/api/v1/workers/claim",
                    "{\"kinds\": [\"" + kind + "\"], \"max\": " + most + ", \"wait\": 1, \"lease\": 5}",
                    UUID.randomUUID().toString());
            if (claimed.status() != 200) violations.add("a claim was answered " + claimed.status());
            Matcher claim = CLAIM.matcher(claimed.body());
            while (claim.find()) {
                String id = claim.group(2);
                if (!begun.add(claim.group(1))) violations.add("one claim of job " + id + " was begun twice");
                Long ended = done.get(id);
                if (ended != null) violations.add("job " + id + " was begun after it was told as done");
                int chance = ThreadLocalRandom.current().nextInt(20);
                // A worker that died: its claim gets no further calls.
                if (chance == 0) continue;
                String action = chance == 1 ? "fail" : chance == 2 ? "release" : "complete";
                String more = chance == 1 ? ", \"error\": \"no\", \"delay\": \"PT0S\"" : "";
                Answer said = insist(
                        address,
                        "/api/v1/workers/" + action,
                        "{\"token\": \"" + claim.group(1) + "\"" + more + "}",
                        null);
                if (said.status() == 200 && action.equals("complete")) done.put(id, System.nanoTime());
                else if (said.status() != 200 && said.status() != 410)
                    violations.add(action + " was answered " + said.status());
            }
        }
    }

    private Future<?> worker(ExecutorService threads, String address, String kind, int most) {
        return threads.submit(() -> {
            work(address, kind, most);
            return null;
        });
    }

    private void add(String address, String kind, int from, int to, Set<String> added) throws InterruptedException {
        for (int i = from; i < to; i++) {
            Answer answer = insist(
                    address,
                    "/api/v1/jobs",
                    "{\"kind\": \"" + kind + "\", \"payload\": " + i + "}",
                    UUID.randomUUID().toString());
            if (answer.status() != 201 && answer.status() != 200)
                violations.add("an add was answered " + answer.status());
            Matcher id = ID.matcher(answer.body());
            if (id.find()) added.add(id.group(1));
        }
    }

    private void awaitAllDone() {
        await().atMost(Patience.LIMIT.multipliedBy(4))
                .until(() -> "0".equals(database.value("SELECT count(*) FROM howdah_internal.job"))
                        && "0"
                                .equals(database.value(
                                        "SELECT count(*) FROM howdah_internal.batch WHERE ended IS NULL")));
    }

    @Test
    void workers_behindAProxyThatCutsAndRepeats_andADaemonThatIsKilled_loseAndDoubleNothing(@TempDir Path home)
            throws Throwable {
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            drill(home, address -> {
                List<Future<?>> workers = new ArrayList<>();
                for (int i = 0; i < 6; i++) workers.add(worker(threads, address, "mail", 1 + i % 3));
                return () -> {
                    for (Future<?> each : workers) each.get();
                };
            });
        } finally {
            over.set(true);
            threads.shutdownNow();
        }
    }

    @ParameterizedTest
    @EnumSource
    void workersOfALibrary_behindTheSameProxy_loseAndDoubleNothing(ClientLanguage language, @TempDir Path home)
            throws Throwable {
        assumeThat(language.missing()).isEmpty();
        List<Process> workers = new ArrayList<>();
        try {
            drill(home, address -> {
                for (int i = 0; i < 2; i++)
                    workers.add(language.program(
                                    language.conformance(),
                                    List.of(address, "work", "mail"),
                                    Map.of("HOWDAH_TOKEN", token, "HANDS", "10"))
                            .redirectOutput(home.resolve("said" + i).toFile())
                            .start());
                return () -> {
                    for (Process each : workers) {
                        each.destroy();
                        assertThat(each.waitFor(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS) && each.exitValue() == 0)
                                .isTrue();
                    }
                };
            });
        } finally {
            workers.forEach(Process::destroyForcibly);
        }
    }

    /** Workers that ask there. */
    private interface Workers {
        /** Returns what awaits their end. */
        Executable start(String address) throws IOException;
    }

    /** Adds jobs while workers work, the way to the daemon has faults, and the daemon is killed. */
    private void drill(Path home, Workers workers) throws Throwable {
        Set<String> added = ConcurrentHashMap.newKeySet();
        List<HowdahProcess> daemons = new ArrayList<>(List.of(daemon(home)));
        try (FaultyProxy proxy = new FaultyProxy(address(daemons.get(0)))) {
            Executable end = workers.start(proxy.address());
            add(proxy.address(), "mail", 0, 150, added);
            daemons.get(0).kill();
            daemons.add(daemon(home));
            proxy.leadTo(address(daemons.get(1)));
            add(proxy.address(), "mail", 150, 300, added);
            awaitAllDone();
            over.set(true);
            end.execute();
            assertThat(proxy.faults()).isPositive();
        } finally {
            over.set(true);
            daemons.forEach(HowdahProcess::close);
        }
        assertThat(violations).isEmpty();
        assertThat(added).hasSize(300);
        assertThat(database.value("SELECT count(*) FROM howdah_internal.failed"))
                .isEqualTo("0");
        assertThat(database.value(
                        "SELECT count(*) || ' ' || count(DISTINCT u.payload::text) FROM howdah_internal.batch b,"
                                + " unnest(b.ids, b.payloads) WITH ORDINALITY AS u (id, payload, n)"
                                + " WHERE COALESCE(substr(b.outcomes, u.n::integer, 1), 'd') = 'd'"))
                .as("done, and as many different ones")
                .isEqualTo("300 300");
    }

    /** With {@code -Dhowdah.test.drill=600} for so many seconds; the slowest answer of each page is printed then. */
    @Test
    void workers_ofManyKinds_harmNeitherEachOtherNorPages(@TempDir Path home) throws Exception {
        int kinds = 20;
        Duration time = Duration.ofSeconds(Integer.getInteger("howdah.test.drill", 0));
        long end = System.nanoTime() + time.toNanos();
        AtomicInteger rounds = new AtomicInteger();
        Map<String, Duration> slowest = new TreeMap<>();
        Set<String> added = ConcurrentHashMap.newKeySet();
        ExecutorService threads = Executors.newCachedThreadPool();
        try (HowdahProcess daemon = daemon(home)) {
            String address = address(daemon);
            List<Future<?>> workers = new ArrayList<>();
            for (int i = 0; i < 50; i++) workers.add(worker(threads, address, "kind" + i % kinds, 1));
            List<Future<?>> producers = new ArrayList<>();
            for (int i = 0; i < kinds; i++) {
                String kind = "kind" + i;
                producers.add(threads.submit(() -> {
                    do {
                        add(address, kind, 0, 15, added);
                        rounds.incrementAndGet();
                    } while (System.nanoTime() < end);
                    return null;
                }));
            }
            while (!producers.stream().allMatch(Future::isDone))
                for (String page : PAGES) slowest.merge(page, read(address, page), HttpWorkerDrillTest::longer);
            for (Future<?> each : producers) each.get();
            awaitAllDone();
            over.set(true);
            for (Future<?> each : workers) each.get();
        } finally {
            over.set(true);
            threads.shutdownNow();
        }
        if (!time.isZero()) slowest.forEach((page, longest) -> System.out.println(longest.toMillis() + " ms: " + page));
        assertThat(violations).isEmpty();
        assertThat(added).hasSize(rounds.get() * 15);
        assertThat(database.value("SELECT count(*) FROM howdah_internal.failed"))
                .isEqualTo("0");
    }

    /** How long the answer took. */
    private Duration read(String address, String page) throws InterruptedException {
        long before = System.nanoTime();
        Answer answer = send(address, page, null, null);
        if (answer == null || answer.status() != 200)
            violations.add(page + " was answered " + (answer == null ? "not at all" : answer.status()));
        return Duration.ofNanos(System.nanoTime() - before);
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }
}
