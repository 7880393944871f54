package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.daemon.console.Json;
import dev.howdah.fixtures.Patience;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A command in a process of its own, without a terminal, with nothing of our environment that could matter. */
final class HowdahProcess implements AutoCloseable {
    private static final Duration PATIENCE = Patience.LIMIT;

    /** Its place among the signals that a process ignores. */
    private static final long SIGINT = 1L << 1;

    private final Process process;
    private final Path out;
    private final Path err;

    private HowdahProcess(Process process, Path out, Path err) {
        this.process = process;
        this.out = out;
        this.err = err;
    }

    /** A Java program, with the flags of the launcher that matter for its start. */
    static List<String> java(String classPath, String main) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:-UsePerfData",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                classPath,
                main);
    }

    /** The program from the classes of this build. */
    static HowdahProcess start(Path home, Map<String, String> environment, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(interruptible());
        command.addAll(java(System.getProperty("java.class.path"), "dev.howdah.daemon.Main"));
        command.addAll(List.of(arguments));
        return run(home, environment, command);
    }

    /** Tests that run in the background of a shell without job control ignore SIGINT, and what they start would, too. */
    private static List<String> interruptible() throws IOException {
        Path status = Path.of("/proc/self/status");
        if (!Files.exists(status)) return List.of();
        for (String line : Files.readAllLines(status))
            if (line.startsWith("SigIgn:")
                    && (Long.parseUnsignedLong(line.substring(7).strip(), 16) & SIGINT) != 0)
                return List.of("env", "--default-signal=INT");
        return List.of();
    }

    /** Any program. */
    static HowdahProcess run(Path home, Map<String, String> environment, List<String> command) throws IOException {
        Path out = Files.createTempFile(home, "out", ".txt");
        Path err = Files.createTempFile(home, "err", ".txt");
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectInput(new File("/dev/null"))
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("HOWDAH_") || name.startsWith("PG"));
        builder.environment().put("HOME", home.toString());
        // The launcher writes to it beside the command, when the directory of a test may be gone.
        builder.environment().put("HOWDAH_CACHE", "");
        builder.environment().putAll(environment);
        return new HowdahProcess(builder.start(), out, err);
    }

    long pid() {
        return process.pid();
    }

    String out() {
        return read(out);
    }

    String err() {
        return read(err);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Waits for the line of JSON that says that it is ready. */
    Map<String, String> ready() throws IOException {
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> out().endsWith("\n") || !process.isAlive());
        assertThat(out()).as("standard output; standard error: %s", err()).hasLineCount(1);
        return Json.texts(out());
    }

    /** Waits for words on its standard error. */
    void says(String words) {
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(20))
                .untilAsserted(() -> assertThat(err()).contains(words));
    }

    /** Sends SIGTERM. */
    void terminate() {
        process.destroy();
    }

    /** Sends SIGINT, as Ctrl-C does. */
    void interrupt() throws IOException, InterruptedException {
        signal("INT");
    }

    /** Sends SIGSTOP: it does nothing any more, and its connections stay. */
    void freeze() throws IOException, InterruptedException {
        signal("STOP");
    }

    /** Sends SIGCONT. */
    void thaw() throws IOException, InterruptedException {
        signal("CONT");
    }

    /** Sends SIGHUP. */
    void hangUp() throws IOException, InterruptedException {
        signal("HUP");
    }

    private void signal(String name) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(pid())).start();
        assertThat(kill.waitFor()).isZero();
    }

    /** Sends SIGKILL and waits until it is gone. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    int exitCode() throws InterruptedException {
        assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .as("ended; standard error: %s", err())
                .isTrue();
        return process.exitValue();
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
