package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.Database;
import dev.howdah.fixtures.ChildJvm;
import dev.howdah.internal.run.Threads;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A scheduler in a program of its own, for tests that kill it, stop it, or freeze it. */
final class SchedulerProcess implements AutoCloseable {
    private final ChildJvm child;

    private SchedulerProcess(ChildJvm child) {
        this.child = child;
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
        List<String> all = new ArrayList<>(flags);
        all.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=trace");
        SchedulerProcess started = new SchedulerProcess(
                ChildJvm.start(SchedulerProcess.class, all, uri, Long.toString(lease.toMillis()), rights.name()));
        started.says();
        return started;
    }

    /** What it says next: {@code active}, {@code standby} or {@code waiting}. */
    String says() {
        // In a thread of its own: the common pool has one thread on two cores, and others wait here, too.
        CompletableFuture<String> line = new CompletableFuture<>();
        Threads.daemon("says", () -> {
                    try {
                        line.complete(String.valueOf(child.out().readLine()));
                    } catch (IOException | RuntimeException e) {
                        line.completeExceptionally(e);
                    }
                })
                .start();
        assertThat(line).succeedsWithin(Scheduled.PATIENCE);
        return line.join();
    }

    /** As {@link ChildJvm#log}. */
    String log() {
        return child.log();
    }

    /** How many lines of its log have these words. */
    long logged(String words) {
        return log().lines().filter(line -> line.contains(words)).count();
    }

    /** As {@link ChildJvm#freeze}. */
    void freeze() {
        child.freeze();
    }

    /** As {@link ChildJvm#thaw}. */
    void thaw() {
        child.thaw();
    }

    /** Ends it in good order, and does not wait for that. */
    void stop() {
        child.endInput();
    }

    /** As {@link ChildJvm#kill}. */
    void kill() {
        child.kill();
    }

    /** As {@link ChildJvm#awaitGone}. */
    void awaitGone() {
        child.awaitGone();
    }

    @Override
    public void close() {
        child.close();
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
