package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.howdah.daemon.monitoring.DaemonMonitoring;
import dev.howdah.daemon.monitoring.MonitoringServer;
import dev.howdah.daemon.monitoring.Prometheus;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.process.Action;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.Processes;
import dev.howdah.process.TaskType;
import dev.howdah.spi.RetryPolicy;
import dev.howdah.sweep.Sweep;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/** The dashboard for Grafana: each of its queries has data in a Prometheus that scrapes a daemon and a program with the library. */
@PostgresTest
class GrafanaDashboardTest {
    private static final Path FILE = Path.of("..", "packaging", "grafana", "howdah.json");
    private static final Duration PATIENCE = Patience.LIMIT;
    private static final Pattern PORT = Pattern.compile("metrics are at http://127\\.0\\.0\\.1:(\\d+)/metrics");
    private static final Pattern VALUE = Pattern.compile("\"value\":\\[[0-9.e+]+,\"([^\"]+)\"]");

    private static final Pattern SAMPLE =
            Pattern.compile("(?m)^((?:howdah|progressor)_[a-z_]+)(?:\\{((?:[^\"}]|\"(?:[^\"\\\\]|\\\\.)*\")*)})? ");
    private static final Pattern LABEL = Pattern.compile("([a-z_]+)=\"");

    /** UpTest, JobTagStatisticsTest and ProcessMetricsTest have these. */
    private static final Set<String> ELSEWHERE = Set.of(
            "howdah_embedded_up",
            "howdah_embedded_restarts_total",
            "howdah_jobs_tagged_total",
            "howdah_process_recoveries_total");

    private static final Kind<Integer> MAIL = Kind.of("mail", Integer.class);
    private static final Kind<Integer> STUCK = Kind.of("stuck", Integer.class);

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path home;

    @Test
    void queries_useMetricsThatAreDocumented() throws Exception {
        String documented = Files.readString(Path.of("..", "docs", "operations", "monitoring.md"));
        Set<String> used = Pattern.compile("\\bhowdah_[a-z_]+?(?=(_bucket)?\\{)")
                .matcher(String.join("\n", texts("expr")))
                .results()
                .map(MatchResult::group)
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(used)
                .hasSizeGreaterThan(15)
                .allSatisfy(each -> assertThat(documented).contains("| `" + each + "` |"));
    }

    @Test
    @Tag("long")
    void queries_inAPrometheusThatScrapesPrograms_haveData(TestDatabase database) throws Exception {
        assumeTrue(isPrometheusThere(), "there is no Prometheus here: Debian's package prometheus has it");
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(
                "jdbc:postgresql://" + database.uri().substring("postgresql://postgres@".length()) + "?user=postgres");
        database.execute("CREATE TABLE mailing (id bigint PRIMARY KEY, sent boolean NOT NULL DEFAULT false);"
                + " CREATE INDEX ON mailing (id) WHERE NOT sent;"
                + " INSERT INTO mailing SELECT i FROM generate_series(1, 100000) i; ANALYZE mailing");
        Prometheus figures = new Prometheus();
        AtomicBoolean over = new AtomicBoolean();
        Namespace order = Namespace.of(
                "order",
                (task, process) -> Intent.none()
                        .event("seen")
                        .then(task.type() == TaskType.INIT ? Action.timeout(Duration.ZERO) : Action.suspend()));
        try (HowdahProcess up = HowdahProcess.start(
                        home, Map.of(), "up", "--url", database.uri(), "--metrics-port", "0", "--json");
                MonitoringServer program =
                        MonitoringServer.start("127.0.0.1", 0, new DaemonMonitoring(figures, () -> null, () -> null));
                Jobs jobs = Jobs.on(source)
                        .metrics(figures)
                        .handle(
                                MAIL,
                                (number, job) -> send(number),
                                options -> options.retries(RetryPolicy.linear(Duration.ZERO, 1)))
                        .handle(STUCK, (number, job) -> stuck(over), options -> options.timeout(Duration.ofMillis(10)))
                        .abandonAfter(Duration.ofMillis(10), 1)
                        .start();
                Processes processes = Processes.on(source)
                        .metrics(figures)
                        .namespace(order, notices -> {})
                        .start();
                Sweep sweep = Sweep.on(source)
                        .name("mailing")
                        .table("mailing")
                        .key("id")
                        .where("NOT sent")
                        .mark("sent = true")
                        .batch(100)
                        .maxRowsPerSecond(500)
                        .metrics(figures)
                        .forEachRow(row -> {})
                        .start()) {
            up.ready();
            jobs.add(STUCK, 1);
            int port = freePort();
            Set<String> without = new LinkedHashSet<>(texts("expr"));
            assertThat(without).hasSizeGreaterThan(25);
            try (HowdahProcess prometheus = prometheus(port, port(up), program.port())) {
                AtomicInteger round = new AtomicInteger();
                await("data of every query").atMost(PATIENCE).untilAsserted(() -> {
                    int number = round.getAndIncrement();
                    database.execute("INSERT INTO task (input) VALUES ('SELECT 1'), ('SELECT 1 / 0')");
                    jobs.add(MAIL, number);
                    processes.init("order", "order-" + number, null);
                    without.removeIf(query -> hasData(port, query));
                    assertThat(without)
                            .as("queries without data; %s", prometheus.err())
                            .isEmpty();
                });
            }
            checkNamesAndLabels(metrics(port(up)) + metrics(program.port()));
        } finally {
            over.set(true);
        }
    }

    /** What both programs export is documented with its labels, and so is the reverse, but for what happens in other tests. */
    private static void checkNamesAndLabels(String exported) throws IOException {
        Map<String, Set<String>> labels = new TreeMap<>();
        Set<String> ofProgressor = new TreeSet<>();
        SAMPLE.matcher(exported).results().forEach(sample -> {
            String name = sample.group(1).replaceFirst("_(bucket|count|sum)$", "");
            if (name.startsWith("progressor_")) ofProgressor.add(name);
            else
                labels.computeIfAbsent(name, each -> new TreeSet<>())
                        .addAll(LABEL.matcher(Objects.requireNonNullElse(sample.group(2), ""))
                                .results()
                                .map(each -> each.group(1))
                                .filter(each -> !each.equals("le"))
                                .toList());
        });
        Map<String, Set<String>> documented = DocumentedMetrics.labels();
        documented.keySet().removeAll(ELSEWHERE);
        assertThat(labels).isEqualTo(documented);
        assertThat(DocumentedMetrics.ofProgressor()).containsAll(ofProgressor);
    }

    private static String metrics(int port) throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
    }

    /** Does not stop when it is interrupted. */
    private static void stuck(AtomicBoolean over) {
        while (!over.get()) LockSupport.parkNanos(10_000_000);
    }

    /** Every second mail cannot be sent. */
    private static void send(int number) {
        if (number % 2 == 1) throw new IllegalStateException("no such address");
    }

    private HowdahProcess prometheus(int port, int... programs) throws IOException {
        Path settings = Files.writeString(
                home.resolve("prometheus.yml"),
                "global: {scrape_interval: 1s}\nscrape_configs:\n  - job_name: howdah\n    static_configs:\n      - targets: "
                        + Arrays.stream(programs)
                                .mapToObj(each -> "'127.0.0.1:" + each + "'")
                                .toList()
                        + "\n");
        return HowdahProcess.run(
                home,
                Map.of(),
                List.of(
                        "prometheus",
                        "--config.file=" + settings,
                        "--storage.tsdb.path=" + home.resolve("data"),
                        "--web.listen-address=127.0.0.1:" + port));
    }

    /** Whether a panel would draw anything for that query, with all programs selected. */
    private static boolean hasData(int port, String query) {
        String asked = query.replace("$__rate_interval", "15s")
                .replace("$job", "howdah.*")
                .replace("$instance", ".*");
        assertThat(asked).doesNotContain("$");
        try {
            HttpResponse<String> answer = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/api/v1/query?query="
                                            + URLEncoder.encode(asked, StandardCharsets.UTF_8)))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            assertThat(answer.body()).as(query).doesNotContain("\"bad_data\"");
            return VALUE.matcher(answer.body())
                    .results()
                    .anyMatch(value -> !value.group(1).equals("NaN"));
        } catch (IOException e) {
            // It has not started yet.
            return false;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** The texts of the dashboard that have that name. */
    private static List<String> texts(String name) throws IOException {
        List<String> found = new ArrayList<>();
        try (JsonParser json = new JsonFactory().createParser(FILE.toFile())) {
            for (JsonToken token = json.nextToken(); token != null; token = json.nextToken())
                if (token == JsonToken.VALUE_STRING && name.equals(json.currentName())) found.add(json.getText());
        }
        return found;
    }

    private static int port(HowdahProcess up) {
        Matcher port = PORT.matcher(up.err());
        assertThat(port.find()).as(up.err()).isTrue();
        return Integer.parseInt(port.group(1));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static boolean isPrometheusThere() throws Exception {
        return new ProcessBuilder("sh", "-c", "command -v prometheus")
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start()
                        .waitFor()
                == 0;
    }
}
