package dev.howdah.benchmarks.console;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.howdah.Database;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A {@code howdah up} in a directory that is there before and after it. Linux only: it reads /proc. */
final class ConsoleDaemon implements AutoCloseable {
    private final Process process;
    private final Path directory;
    private final JsonNode ready;
    private final double seconds;

    private ConsoleDaemon(Process process, Path directory, JsonNode ready, double seconds) {
        this.process = process;
        this.directory = directory;
        this.ready = ready;
        this.seconds = seconds;
    }

    static ConsoleDaemon start(String launcher, Path directory, String... options) throws IOException {
        List<String> command =
                new ArrayList<>(List.of(launcher, "up", "--data", directory.toString(), "--pg-port", "0", "--json"));
        command.addAll(List.of(options));
        long begun = System.nanoTime();
        Process process = new ProcessBuilder(command)
                .redirectError(directory.resolve("howdah.log").toFile())
                .start();
        BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String line = out.readLine();
        if (line == null) throw new IOException(launcher + " up has ended before it was ready");
        double seconds = (System.nanoTime() - begun) / 1e9;
        return new ConsoleDaemon(process, directory, new ObjectMapper().readTree(line), seconds);
    }

    Database database() {
        return Database.of(ready.get("postgres").asText());
    }

    String console() {
        return ready.get("console").asText().replaceAll("/$", "");
    }

    /** How long it took until it was ready. */
    double secondsToReady() {
        return seconds;
    }

    /** What it has in memory, and what it had at most, in MB: without PostgreSQL. */
    double megabytes(String field) throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/" + process.pid() + "/status"))) {
            return lines.filter(line -> line.startsWith(field + ":"))
                            .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                            .sum()
                    / 1000.0;
        }
    }

    /** The log of PostgreSQL. */
    Path log() {
        return directory.resolve("postgres.log");
    }

    @Override
    public void close() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(60, TimeUnit.SECONDS)) process.destroyForcibly();
    }
}
