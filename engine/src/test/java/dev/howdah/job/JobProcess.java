package dev.howdah.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.spi.RetryPolicy;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;

/** A node in a program of its own, for tests that kill or freeze it. It says what its handlers do, a line for each. */
final class JobProcess implements AutoCloseable {
    static final Kind<String> WORK = Kind.of("work", String.class);

    private final Process process;
    private final Path log;
    private final Queue<String> said = new ConcurrentLinkedQueue<>();

    private JobProcess(Process process, Path log) {
        this.process = process;
        this.log = log;
        Thread reader = new Thread(this::read, "says");
        reader.setDaemon(true);
        reader.start();
    }

    private void read() {
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = out.readLine(); line != null; line = out.readLine()) said.add(line);
        } catch (IOException e) {
            said.add("cut off");
        }
    }

    /** Starts one and waits until it works. */
    static JobProcess at(String uri, int concurrency) {
        try {
            Path log = Files.createTempFile("howdah-node", ".log");
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:TieredStopAtLevel=1",
                            "-Dorg.slf4j.simpleLogger.defaultLogLevel=debug",
                            "-cp",
                            System.getProperty("java.class.path"),
                            JobProcess.class.getName(),
                            uri,
                            Integer.toString(concurrency))
                    .redirectError(log.toFile())
                    .start();
            JobProcess started = new JobProcess(process, log);
            started.awaitSaid("works");
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void awaitSaid(String line) {
        JobsDatabase.awaiting("the other process says: " + line).until(() -> said.contains(line));
    }

    boolean hasSaid(String line) {
        return said.contains(line);
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

    /** Ends it at once, by force. */
    void kill() {
        process.destroyForcibly();
    }

    void awaitGone() {
        assertThat(process.onExit()).succeedsWithin(JobsDatabase.PATIENCE);
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

    /** @param arguments the address of the database, and how many jobs at once */
    public static void main(String[] arguments) throws InterruptedException {
        Jobs.on(JobsDatabase.source(arguments[0]))
                .concurrency(Integer.parseInt(arguments[1]))
                .retries(RetryPolicy.after(Duration.ofMillis(10), Duration.ofMillis(10), Duration.ofMillis(10)))
                .handle(WORK, JobProcess::work)
                .handleInTransaction(Kind.of("commit", String.class), (payload, job, connection) -> work(payload, job))
                .start();
        say("works");
        new CountDownLatch(1).await();
    }

    private static void work(String payload, Job job) throws InterruptedException {
        say("began " + job.id() + " " + job.attempt());
        try {
            switch (payload) {
                case "exit" -> System.exit(3);
                case "hang" -> new CountDownLatch(1).await();
                default -> {}
            }
        } catch (InterruptedException e) {
            say("interrupted " + job.id());
            throw e;
        }
        say("ended " + job.id());
    }

    private static synchronized void say(String line) {
        System.out.println(line);
    }
}
