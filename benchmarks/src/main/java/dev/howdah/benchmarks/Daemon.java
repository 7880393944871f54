package dev.howdah.benchmarks;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.howdah.Database;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A {@code howdah up} of our own, in a directory of its own, that is gone afterwards. Linux only: it reads /proc. */
final class Daemon implements AutoCloseable {
    /**
     * What a scenario wants of its daemon.
     *
     * @param options of {@code howdah up}
     * @param settings of its server, by name
     */
    record Needs(List<String> options, Map<String, String> settings) {
        static final Needs DEFAULT = new Needs(List.of(), Map.of());
    }

    private final String launcher;
    private final List<String> options;
    private final Process process;
    private final Path directory;
    private final Database database;

    private Daemon(String launcher, List<String> options, Process process, Path directory, Database database) {
        this.launcher = launcher;
        this.options = options;
        this.process = process;
        this.directory = directory;
        this.database = database;
    }

    static Daemon start(String launcher, Needs needs) throws IOException, SQLException, InterruptedException {
        Path directory = Files.createTempDirectory("howdah-benchmark");
        Daemon daemon = start(launcher, needs, directory);
        if (needs.settings().isEmpty()) return daemon;
        try (Connection connection = daemon.database.connect();
                Statement statement = connection.createStatement()) {
            for (Map.Entry<String, String> each : needs.settings().entrySet())
                statement.execute("ALTER SYSTEM SET " + each.getKey() + " = '" + each.getValue() + "'");
        }
        daemon.stop();
        return start(launcher, needs, directory);
    }

    private static Daemon start(String launcher, Needs needs, Path directory) throws IOException {
        List<String> command =
                new ArrayList<>(List.of(launcher, "up", "--data", directory.toString(), "--pg-port", "0", "--json"));
        command.addAll(needs.options());
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String line = out.readLine();
        if (line == null) throw new IOException(launcher + " up has ended before it was ready");
        JsonNode ready = new ObjectMapper().readTree(line);
        Database database = Database.of(ready.get("postgres").asText());
        return new Daemon(launcher, needs.options(), process, directory, database);
    }

    /** Starts another daemon at the same server, which is ready, or stands by, when this returns. */
    SecondDaemon second() throws IOException {
        return SecondDaemon.start(launcher, database.toString(), options);
    }

    Database database() {
        return database;
    }

    /** @param walBytes written up to now, which only the server knows */
    Usage usage(long walBytes) throws IOException {
        long postmaster = Long.parseLong(Files.readAllLines(directory.resolve("data/postmaster.pid"))
                .get(0)
                .strip());
        List<Long> server = new ArrayList<>(List.of(postmaster));
        server.addAll(children(postmaster));
        // What backends used that have ended is counted at the postmaster, their switches are not.
        double serverSeconds = new ProcessFigures(postmaster).cpuSecondsWithChildren();
        for (long pid : server) if (pid != postmaster) serverSeconds += new ProcessFigures(pid).cpuSeconds();
        long serverSwitches = 0;
        for (long pid : server) serverSwitches += switches(pid);
        return new Usage(serverSeconds, figures().cpuSeconds(), serverSwitches, switches(process.pid()), walBytes);
    }

    private static List<Long> children(long pid) {
        return ProcessHandle.of(pid).stream()
                .flatMap(ProcessHandle::children)
                .map(ProcessHandle::pid)
                .toList();
    }

    private static long switches(long pid) throws IOException {
        long sum = 0;
        try (Stream<Path> threads = Files.list(Path.of("/proc/" + pid + "/task"))) {
            for (Path thread : threads.toList())
                try (Stream<String> lines = Files.lines(thread.resolve("status"))) {
                    sum += lines.filter(line -> line.startsWith("voluntary_ctxt_switches"))
                            .mapToLong(Daemon::number)
                            .sum();
                }
        } catch (IOException | java.io.UncheckedIOException e) {
            return sum; // it has just ended
        }
        return sum;
    }

    /** What the kernel says of its process. */
    ProcessFigures figures() {
        return new ProcessFigures(process.pid());
    }

    /** Processor time of the processes that make documents, in seconds. */
    double helperSeconds() {
        return process.descendants()
                .filter(each -> each.info().command().orElse("").endsWith("/java"))
                .mapToDouble(each -> new ProcessFigures(each.pid()).cpuSeconds())
                .sum();
    }

    private static long number(String line) {
        return Long.parseLong(line.replaceAll("\\D", ""));
    }

    private void stop() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(30, TimeUnit.SECONDS)) process.destroyForcibly();
    }

    @Override
    public void close() throws IOException, InterruptedException {
        stop();
        Directories.delete(directory);
    }
}
