package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.Database;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A scheduler in a program of its own, for tests that kill it, stop it, or freeze it. */
final class SchedulerProcess implements AutoCloseable {
    private final Process process;
    private final BufferedReader out;
    private final Path log;

    private SchedulerProcess(Process process, Path log) {
        this.process = process;
        this.log = log;
        this.out = process.inputReader(StandardCharsets.UTF_8);
    }

    /** Starts one and waits until it is elected, or stands by. */
    static SchedulerProcess at(String uri, Duration lease) {
        return at(uri, lease, TaskRights.OWNER);
    }

    static SchedulerProcess at(String uri, Duration lease, TaskRights rights) {
        return start(List.of(), uri, lease, rights);
    }

    /** One that logs, besides all of its own, what the configuration of java.util.logging wants. */
    static SchedulerProcess logging(Path configuration, String uri, Duration lease) {
        return start(List.of("-Djava.util.logging.config.file=" + configuration), uri, lease, TaskRights.OWNER);
    }

    private static SchedulerProcess start(List<String> flags, String uri, Duration lease, TaskRights rights) {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        try {
            Path log = Files.createTempFile("howdah-scheduler", ".log");
            List<String> command = new ArrayList<>(flags);
            command.add(0, java);
            command.addAll(List.of(
                    "-Dorg.slf4j.simpleLogger.defaultLogLevel=trace",
                    "-cp",
                    System.getProperty("java.class.path"),
                    SchedulerProcess.class.getName(),
                    uri,
                    Long.toString(lease.toMillis()),
                    rights.name()));
            Process process =
                    new ProcessBuilder(command).redirectError(log.toFile()).start();
            SchedulerProcess started = new SchedulerProcess(process, log);
            started.says();
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What it says next: {@code active}, {@code standby} or {@code waiting}. */
    String says() {
        CompletableFuture<String> line = CompletableFuture.supplyAsync(() -> {
            try {
                return String.valueOf(out.readLine());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        assertThat(line).succeedsWithin(Scheduled.PATIENCE);
        return line.join();
    }

    /** All that it has logged. */
    String log() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** How many lines of its log have these words. */
    long logged(String words) {
        return log().lines().filter(line -> line.contains(words)).count();
    }

    /** Freezes it: it does nothing any more, and its connections stay. */
    void freeze() {
        signal("STOP");
    }

    /** Ends {@link #freeze}. */
    void thaw() {
        signal("CONT");
    }

    private void signal(String name) {
        try {
            Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
            assertThat(kill.waitFor()).isZero();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** Ends it in good order, and does not wait for that. */
    void stop() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends it at once, by force. */
    void kill() {
        process.destroyForcibly();
    }

    void awaitGone() {
        assertThat(process.onExit()).succeedsWithin(Scheduled.PATIENCE);
    }

    @Override
    public void close() {
        kill();
        awaitGone();
        try {
            Files.deleteIfExists(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** @param arguments the address of the database and the lease in milliseconds */
    public static void main(String[] arguments) throws IOException {
        TaskScheduler scheduler = TaskScheduler.on(Database.of(arguments[0]))
                .lease(Duration.ofMillis(Long.parseLong(arguments[1])))
                .rights(TaskRights.valueOf(arguments[2]))
                .listener(new TaskScheduler.Listener() {
                    @Override
                    public void active() {
                        System.out.println("active");
                    }

                    @Override
                    public void standby(String holder) {
                        System.out.println("standby");
                    }

                    @Override
                    public void waiting(String reason) {
                        System.out.println("waiting");
                    }
                })
                .start();
        // Ends in good order when whoever started it hangs up.
        while (System.in.read() >= 0) Thread.onSpinWait();
        scheduler.close();
    }
}
