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
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A {@code howdah up} of our own, in a directory of its own, that is gone afterwards. Linux only: it reads /proc. */
final class Daemon implements AutoCloseable {
    private static final double TICKS_PER_SECOND = 100;

    private final Process process;
    private final Path directory;
    private final Database database;

    private Daemon(Process process, Path directory, Database database) {
        this.process = process;
        this.directory = directory;
        this.database = database;
    }

    static Daemon start(String launcher) throws IOException {
        Path directory = Files.createTempDirectory("howdah-benchmark");
        Process process = new ProcessBuilder(launcher, "up", "--data", directory.toString(), "--pg-port", "0", "--json")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String line = out.readLine();
        if (line == null) throw new IOException(launcher + " up has ended before it was ready");
        JsonNode ready = new ObjectMapper().readTree(line);
        return new Daemon(process, directory, Database.of(ready.get("postgres").asText()));
    }

    Database database() {
        return database;
    }

    /** Seconds of processor time since its start, its PostgreSQL not counted. */
    double cpuSeconds() throws IOException {
        String stat = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
        List<String> fields = List.of(stat.substring(stat.lastIndexOf(')') + 2).split(" "));
        return (Long.parseLong(fields.get(11)) + Long.parseLong(fields.get(12))) / TICKS_PER_SECOND;
    }

    /** Resident memory in megabytes. */
    double residentMegabytes() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/" + process.pid() + "/status"))) {
            String line =
                    lines.filter(each -> each.startsWith("VmRSS:")).findFirst().orElseThrow();
            return Long.parseLong(line.replaceAll("\\D", "")) / 1024.0;
        }
    }

    @Override
    public void close() throws IOException, InterruptedException {
        process.destroy();
        if (!process.waitFor(30, TimeUnit.SECONDS)) process.destroyForcibly();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path each : files.sorted(Comparator.reverseOrder()).toList()) Files.delete(each);
        }
    }
}
