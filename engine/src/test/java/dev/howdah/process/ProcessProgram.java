package dev.howdah.process;

import dev.howdah.fixtures.ChildJvm;
import dev.howdah.spi.Backoff;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A node in a program of its own, for tests that kill or freeze it. It says what its steps do, a line for each. */
final class ProcessProgram implements AutoCloseable {
    static final String NAMESPACE = "program";

    private final ChildJvm child;
    private final Collection<String> said;

    private ProcessProgram(ChildJvm child) {
        this.child = child;
        this.said = child.lines();
    }

    /** Starts one and waits until it works. */
    static ProcessProgram at(String uri, boolean repeatable) {
        ProcessProgram started = new ProcessProgram(ChildJvm.start(
                ProcessProgram.class, List.of("-XX:TieredStopAtLevel=1"), uri, Boolean.toString(repeatable)));
        started.awaitSaid("works");
        return started;
    }

    void awaitSaid(String line) {
        Scripted.awaiting("the other program says: " + line).until(() -> said.contains(line));
    }

    void kill() {
        child.kill();
    }

    void freeze() {
        child.freeze();
    }

    void thaw() {
        child.thaw();
    }

    @Override
    public void close() {
        child.close();
    }

    /** What the processes of {@link #NAMESPACE} do: "hang" hangs the first time, "chain" goes on by itself to event 200. */
    static Namespace namespace(boolean hangs, boolean repeatable) {
        return Namespace.builder(NAMESPACE, (task, process) -> step(task, process, hangs))
                .concurrency(10)
                .retries(Backoff.of(Duration.ofMillis(10), 1, Duration.ofHours(1), 3))
                .repeatable(repeatable)
                .build();
    }

    private static Intent step(ProcessTask task, ProcessState process, boolean hangs) throws InterruptedException {
        String args = task.args().size() == 0 ? "" : task.args().as(String.class);
        if (task.type() == TaskType.INIT)
            return switch (args) {
                case "timer" -> Intent.of(Action.timeout());
                case "chain" -> Intent.none().event("link").then(Action.timeout());
                default -> Intent.none();
            };
        if (hangs && !args.equals("fine") && !process.id().startsWith("chain")) {
            System.out.println("began " + process.id());
            new CountDownLatch(1).await();
        }
        Intent intent = Intent.none().event("link").response("done");
        if (process.id().startsWith("chain") && process.lastEventId() < 199) return intent.then(Action.timeout());
        return intent;
    }

    /** @param arguments the address of the database, and whether calls may run again */
    public static void main(String[] arguments) throws InterruptedException {
        Processes.on(Scripted.source(arguments[0]))
                .namespace(namespace(true, Boolean.parseBoolean(arguments[1])))
                .start();
        System.out.println("works");
        new CountDownLatch(1).await();
    }
}
