package dev.howdah.benchmarks.faults;

import dev.howdah.job.Job;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.process.Action;
import dev.howdah.process.HistoryRange;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.ProcessState;
import dev.howdah.process.ProcessTask;
import dev.howdah.process.Processes;
import dev.howdah.process.TaskType;
import dev.howdah.spi.Backoff;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;

/**
 * {@code ProcessNode ADDRESS FILE}: a node of processes whose steps write down when they begin and end. What a step does becomes an
 * event with the number that its request has; of a timer it is the task's, negative. The same node runs jobs, which leave a row in
 * their own transactions. Stops when its input ends.
 */
final class ProcessNode {
    /** Calls that were running when their node died break their process. */
    static final String ONCE = "once";

    /** They run again. */
    static final String AGAIN = "again";

    /** Processes that go on by themselves, a step every few milliseconds. */
    static final String TICK = "tick";

    /**
     * What a step is to do.
     *
     * @param n its number, of which there is one
     * @param millis how long it takes
     * @param stop whether the process is to set no more timers
     */
    record Order(long n, int millis, boolean stop) {}

    /** A job inserts its number into the table {@code effect}. */
    static final Kind<Long> EFFECT = Kind.of("effect", Long.class);

    private static final int TICK_MILLIS = 30;

    /** Not a channel: that is closed when a thread that writes is interrupted. */
    private final FileOutputStream file;

    private ProcessNode(FileOutputStream file) {
        this.file = file;
    }

    public static void main(String[] arguments) throws Exception {
        CountDownLatch over = NodeProgram.untilInputEnds();
        try (FileOutputStream file = new FileOutputStream(arguments[1], true)) {
            ProcessNode node = new ProcessNode(file);
            // One data source: both features are one node.
            DataSource source = NodeProgram.source(arguments[0]);
            try (Jobs jobs = Jobs.on(source)
                            .nodeName(arguments[1])
                            .shutdownTimeout(Duration.ofSeconds(2))
                            .handleInTransaction(EFFECT, ProcessNode::effect)
                            .start();
                    Processes processes = Processes.on(source)
                            .nodeName(arguments[1])
                            .shutdownTimeout(Duration.ofSeconds(2))
                            .namespace(node.namespace(ONCE, false))
                            .namespace(node.namespace(AGAIN, true))
                            .namespace(node.namespace(TICK, true).toBuilder()
                                    .history(HistoryRange.NONE)
                                    .build())
                            .start()) {
                if (processes.health().passing()) node.write("W\n");
                over.await();
            }
        }
    }

    private static void effect(Long number, Job job, Connection connection) throws SQLException {
        try (PreparedStatement effect = connection.prepareStatement("INSERT INTO effect VALUES (?)")) {
            effect.setLong(1, number);
            effect.executeUpdate();
        }
    }

    private Namespace namespace(String name, boolean repeatable) {
        return Namespace.builder(name, this::step)
                .concurrency(50)
                .repeatable(repeatable)
                .retries(Backoff.of(Duration.ofMillis(10), 1, Duration.ofHours(1), 1_000))
                .build();
    }

    private Intent step(ProcessTask task, ProcessState process) throws Exception {
        boolean timer = task.type() == TaskType.TIMEOUT;
        Order order = timer ? new Order(-task.id(), 0, false) : task.args().as(Order.class);
        say('B', process, order);
        if (order.millis() > 0) Thread.sleep(order.millis());
        say('E', process, order);
        Intent intent = Intent.none().event(order.n()).response(order.n());
        if (!process.namespace().equals(TICK)) return intent;
        return intent.then(order.stop() ? Action.suspend() : Action.timeout(Duration.ofMillis(TICK_MILLIS)));
    }

    /** In one write, so that it is there as a whole or not at all, whatever happens next. */
    private void say(char what, ProcessState process, Order order) throws IOException {
        write(what + " " + System.nanoTime() + " " + process.namespace() + "/" + process.id() + " " + order.n() + "\n");
    }

    private void write(String line) throws IOException {
        file.write(line.getBytes(StandardCharsets.UTF_8));
    }
}
