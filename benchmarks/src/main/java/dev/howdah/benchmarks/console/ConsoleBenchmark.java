package dev.howdah.benchmarks.console;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.howdah.benchmarks.Directories;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.job.Jobs;
import dev.howdah.process.Processes;
import dev.howdah.sweep.Sweep;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * {@code console [--rows N] [--data DIR] [PART...]}: how fast the console's pages are with N jobs that are done, N/10 tasks and so on, and what
 * it costs the database and the daemon. With a directory the data are kept there, and used again.
 */
public final class ConsoleBenchmark {
    /** What can be measured by itself. */
    public static final List<String> PARTS = List.of("starts", "pages", "live");

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final SqlFile DATA = SqlFile.of(ConsoleBenchmark.class, "data.sql");
    private static final long SEED = 42;
    private static final int REQUESTS = 50;
    private static final int BROWSERS = 50;
    private static final int CHANGES = 30;
    private static final int STARTS = 7;
    private static final Duration WATCHED = Duration.ofSeconds(30);
    private static final Duration IDLE = Duration.ofSeconds(60);

    /** In the order in which they build on each other. */
    private static final List<String> STEPS = List.of(
            "data_functions",
            "data_tasks",
            "data_queues",
            "data_days",
            "data_done",
            "data_statistics",
            "data_mark",
            "data_waiting",
            "data_failed",
            "data_namespaces",
            "data_processes",
            "data_process_tasks",
            "data_process_events",
            "data_sweep");

    private static final Pattern NEXT = Pattern.compile("href=\"([^\"]*[?&;]after=[^\"]*)\"");

    private final String launcher;
    private final long jobs;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private ConsoleBenchmark(String launcher, long jobs) {
        this.launcher = launcher;
        this.jobs = jobs;
    }

    /**
     * Measures.
     *
     * @param parts those of {@link #PARTS} that are wanted; empty: all
     * @param data a directory that is kept; null: one that is deleted
     */
    public static void run(String launcher, List<String> parts, long jobs, @Nullable Path data) throws Exception {
        List<String> wanted = parts.isEmpty() ? PARTS : parts;
        ConsoleBenchmark benchmark = new ConsoleBenchmark(launcher, jobs);
        if (wanted.contains("starts")) benchmark.starts();
        if (wanted.equals(List.of("starts"))) return;
        Path directory = data == null ? Files.createTempDirectory("howdah-console") : data;
        try {
            Files.createDirectories(directory);
            try (ConsoleDaemon daemon = ConsoleDaemon.start(launcher, directory, "--port", "0");
                    Connection connection = daemon.database().connect()) {
                benchmark.make(connection);
                benchmark.measure(daemon, connection, wanted);
            }
        } finally {
            if (data == null) Directories.delete(directory);
        }
    }

    private static void print(String figure, String unit, double value, double goal) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("figure", figure);
        line.put("unit", unit);
        line.put("value", Math.round(value * 10) / 10.0);
        if (goal > 0) {
            line.put("goal", goal);
            line.put("reached", value <= goal);
        }
        try {
            System.out.println(JSON.writeValueAsString(line));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private static double percentile(List<Double> values, double part) {
        List<Double> sorted = new ArrayList<>(values);
        Collections.sort(sorted);
        return sorted.get((int) Math.min(sorted.size() - 1, Math.floor(part * sorted.size())));
    }

    /** Ready with and without a console, in turns. */
    private void starts() throws Exception {
        Path directory = Files.createTempDirectory("howdah-starts");
        List<Double> with = new ArrayList<>();
        List<Double> without = new ArrayList<>();
        try {
            for (int i = 0; i <= STARTS; i++) {
                double on = start(directory, "--port", "0");
                double off = start(directory, "--console", "off");
                // The first ones make the server.
                if (i == 0) continue;
                with.add(on);
                without.add(off);
            }
        } finally {
            Directories.delete(directory);
        }
        print("ready, without console, median", "s", percentile(without, 0.5), 0);
        print("ready, with console, median", "s", percentile(with, 0.5), 0);
        print("later with console", "ms", 1000 * Math.max(0, percentile(with, 0.5) - percentile(without, 0.5)), 300);
    }

    private double start(Path directory, String... options) throws Exception {
        try (ConsoleDaemon daemon = ConsoleDaemon.start(launcher, directory, options)) {
            return daemon.secondsToReady();
        }
    }

    private void make(Connection connection) throws SQLException {
        if (is(connection, "SELECT to_regclass('howdah_internal.batch') IS NOT NULL")) return;
        Jobs.install(connection);
        Processes.install(connection);
        Sweep.install(connection);
        execute(connection, "ALTER SYSTEM SET max_wal_size = '4GB'");
        execute(connection, "SELECT pg_reload_conf()");
        for (String each : STEPS) {
            long begun = System.nanoTime();
            execute(connection, DATA.text(each).replace("$1", SEED + "::bigint").replace("$2", Long.toString(jobs)));
            print(each, "s", (System.nanoTime() - begun) / 1e9, 0);
        }
        execute(connection, "VACUUM ANALYZE");
        execute(connection, "CHECKPOINT");
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static boolean is(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getBoolean(1);
        }
    }

    private void measure(ConsoleDaemon daemon, Connection connection, List<String> wanted) throws Exception {
        String console = daemon.console();
        if (wanted.contains("pages"))
            for (Map.Entry<String, String> each : pages(connection).entrySet())
                page(console, each.getKey(), each.getValue());
        if (!wanted.contains("live")) return;
        changes(console, connection);
        watched(daemon, connection);
        idle(daemon, connection);
        print("daemon, resident at the end", "MB", daemon.megabytes("VmRSS"), 300);
        print("daemon, resident at most", "MB", daemon.megabytes("VmHWM"), 300);
    }

    /** Names and addresses. */
    private static Map<String, String> pages(Connection connection) throws SQLException {
        Map<String, String> pages = new LinkedHashMap<>();
        pages.put("overview", "/");
        pages.put("overview, 24 h", "/?range=24h");
        pages.put("overview, 7 days", "/?range=7d");
        pages.put("tasks", "/tasks");
        for (String state : List.of("plan", "work", "done", "fail", "gone", "stop"))
            pages.put("tasks, " + state, "/tasks?state=" + state);
        pages.put("tasks of a group", "/tasks?group=group-7");
        pages.put("tasks with a text", "/tasks?q=reader+77");
        pages.put("a task", "/tasks/" + text(connection, "SELECT max(id) FROM task WHERE state = 'FAIL'"));
        for (String state :
                List.of("waiting", "planned", "retrying", "running", "following", "done", "failed", "cancelled")) {
            pages.put("jobs, " + state, "/jobs?state=" + state);
            pages.put(
                    "jobs, " + state + ", of a queue and kind", "/jobs?state=" + state + "&queue=queue-3&kind=kind-5");
        }
        pages.put("jobs, failed, with an error", "/jobs?state=failed&error=refused+the+parcel");
        pages.put("jobs, done, since 5 days", "/jobs?state=done&since=-5d");
        pages.put("jobs, done, of a key", "/jobs?state=done&key=nothing");
        pages.put("jobs, failed, of a tag", "/jobs?state=failed&tag=nothing");
        pages.put("a failed job", "/jobs/" + text(connection, "SELECT max(id) FROM howdah_internal.failed"));
        pages.put("a job that is done", "/jobs/" + text(connection, "SELECT max(first_id) FROM howdah_internal.batch"));
        pages.put("a job that waits", "/jobs/" + text(connection, "SELECT max(id) FROM howdah_internal.job"));
        pages.put("queues", "/jobs/queues");
        pages.put("errors", "/jobs/errors");
        pages.put("errors of retries", "/jobs/errors?state=retrying");
        pages.put("schedules", "/schedules");
        pages.put("namespaces", "/processes");
        pages.put("processes", "/processes/namespace-1");
        pages.put("processes, broken", "/processes/namespace-1?status=error");
        pages.put("processes by the beginning of the id", "/processes/namespace-1?q=order-0009");
        pages.put("a process", "/processes/namespace-1/order-00000500");
        pages.put("sweeps", "/sweeps");
        pages.put("a sweep", "/sweeps/anonymize");
        pages.put("nodes", "/nodes");
        pages.put("database", "/database");
        pages.put("search of an id", "/search?q=1000500");
        pages.put("search of a text", "/search?q=queue-7");
        return pages;
    }

    private static String text(Connection connection, String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return String.valueOf(row.getString(1));
        }
    }

    private void page(String console, String name, String address) throws IOException, InterruptedException {
        double goal = name.startsWith("overview") ? 80 : 200;
        String first = time(console, name, address, goal);
        if (!address.startsWith("/tasks?") && !address.startsWith("/jobs?") && !address.startsWith("/processes/"))
            return;
        String next = next(first);
        if (next == null) return;
        String second = time(console, name + ", page 2", next, goal);
        String later = second;
        for (int page = 3; page <= 100 && next != null; page++) {
            next = next(later);
            pace();
            if (next != null) later = get(console, next);
        }
        if (next != null) time(console, name + ", page 100", next, goal);
    }

    private static @Nullable String next(String html) {
        Matcher matcher = NEXT.matcher(html);
        return matcher.find() ? matcher.group(1).replace("&amp;", "&") : null;
    }

    private String time(String console, String name, String address, double goal)
            throws IOException, InterruptedException {
        String html = "";
        for (int i = 0; i < 5; i++) {
            pace();
            html = get(console, address);
        }
        List<Double> millis = new ArrayList<>();
        for (int i = 0; i < REQUESTS; i++) {
            pace();
            long begun = System.nanoTime();
            html = get(console, address);
            millis.add((System.nanoTime() - begun) / 1e6);
        }
        if (html.contains("class=\"problem")) System.out.println("{\"problem\":\"" + name + "\"}");
        print(name, "ms, 95 %", percentile(millis, 0.95), goal);
        return html;
    }

    /** The console answers 60 requests a second. */
    private static void pace() throws InterruptedException {
        Thread.sleep(20);
    }

    private String get(String console, String address) throws IOException, InterruptedException {
        HttpResponse<String> answer = http.send(
                HttpRequest.newBuilder(URI.create(console).resolve(address)).build(),
                HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() != 200)
            throw new IOException(address + ": " + answer.statusCode() + " " + answer.body());
        return answer.body();
    }

    /** From the commit of a change to the line of the stream that has it. */
    private void changes(String console, Connection connection) throws Exception {
        List<Double> millis = new ArrayList<>();
        try (EventStream stream = EventStream.open(http, console, "/tasks?state=plan&group=seen")) {
            for (int i = 0; i < CHANGES; i++) {
                // A page is read once a second at most.
                Thread.sleep(1_100 + 37L * i % 250);
                String mark = "seen" + System.nanoTime();
                long begun = System.nanoTime();
                execute(
                        connection,
                        "INSERT INTO task (input, plan, \"group\") VALUES ('SELECT ''" + mark
                                + "''', now() + interval '1 day', 'seen')");
                if (!stream.awaits(mark)) throw new IOException("a change was not seen");
                millis.add((System.nanoTime() - begun) / 1e6);
            }
        }
        print("change to stream, median", "ms", percentile(millis, 0.5), 250);
        print("change to stream, 95 %", "ms", percentile(millis, 0.95), 250);
    }

    /** Browsers with as many different pages, while the database changes all the time. */
    private void watched(ConsoleDaemon daemon, Connection connection) throws Exception {
        List<String> addresses = new ArrayList<>(pages(connection).values());
        List<EventStream> streams = new ArrayList<>();
        try {
            for (int i = 0; i < BROWSERS; i++)
                streams.add(EventStream.open(http, daemon.console(), addresses.get(i % addresses.size())));
            try (StatementLog log = StatementLog.begin(connection, daemon.log())) {
                long until = System.nanoTime() + WATCHED.toNanos();
                while (System.nanoTime() < until) {
                    execute(connection, "UPDATE howdah_internal.stat_mark SET seen_at = now()");
                    Thread.sleep(50);
                }
                print(
                        BROWSERS + " browsers, all pages change, statements of the console",
                        "1/s",
                        (double) log.counts().getOrDefault("howdah console", 0L) / WATCHED.toSeconds(),
                        20);
            }
            print("daemon, resident with " + BROWSERS + " browsers", "MB", daemon.megabytes("VmRSS"), 300);
        } finally {
            streams.forEach(EventStream::close);
        }
    }

    private static void idle(ConsoleDaemon daemon, Connection connection) throws Exception {
        // The server notices that the streams are closed, and sessions that are not needed any more end.
        Thread.sleep(40_000);
        try (StatementLog log = StatementLog.begin(connection, daemon.log())) {
            Thread.sleep(IDLE.toMillis());
            Map<String, Long> counts = log.counts();
            print("no browser, statements of the console", "1/min", counts.getOrDefault("howdah console", 0L), 0);
            long all = counts.entrySet().stream()
                    .filter(each -> each.getKey().startsWith("howdah"))
                    .mapToLong(Map.Entry::getValue)
                    .sum();
            print("no browser, statements of the daemon", "1/min", all, 10);
        }
    }
}
