package dev.howdah.benchmarks.faults;

import dev.howdah.benchmarks.ProcessFigures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A {@code howdah up} that serves a PostgreSQL which is not its own. */
final class DaemonProcess implements AutoCloseable {
    private final Process process;

    private DaemonProcess(Process process) {
        this.process = process;
    }

    /**
     * @param directory its home
     * @param log takes all it says, after what others have said
     * @param environment added to ours
     */
    static DaemonProcess start(String launcher, String url, Path directory, Path log, Map<String, String> environment)
            throws IOException {
        Files.createDirectories(directory);
        ProcessBuilder builder = new ProcessBuilder(launcher, "up", "--url", url, "--json")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().put("HOME", directory.toString());
        builder.environment().putAll(environment);
        return new DaemonProcess(builder.start());
    }

    ProcessFigures figures() {
        return new ProcessFigures(process.pid());
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Whether the TCP connection with this port at its own end is one of its connections. */
    boolean owns(int port) throws IOException {
        String local = String.format(":%04X", port);
        Set<String> inodes = new HashSet<>();
        for (String table : List.of("tcp", "tcp6")) {
            try (Stream<String> lines = Files.lines(Path.of("/proc/net/" + table))) {
                lines.map(line -> line.strip().split("\\s+"))
                        .filter(words -> words.length > 9 && words[1].endsWith(local))
                        .forEach(words -> inodes.add("socket:[" + words[9] + "]"));
            }
        }
        try (Stream<Path> files = Files.list(Path.of("/proc/" + process.pid() + "/fd"))) {
            return files.anyMatch(file -> inodes.contains(target(file)));
        } catch (NoSuchFileException e) {
            return false; // it has ended
        }
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException e) {
            return ""; // closed since
        }
    }

    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    void freeze() throws IOException, InterruptedException {
        Signal.send("STOP", process.pid());
    }

    void thaw() throws IOException, InterruptedException {
        Signal.send("CONT", process.pid());
    }

    /** Ends it in good order; says whether it did within half a minute. */
    boolean stop() throws InterruptedException {
        process.destroy();
        return process.waitFor(30, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
