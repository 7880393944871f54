package dev.howdah.benchmarks.faults;

import dev.howdah.job.FatalException;
import dev.howdah.job.Job;
import dev.howdah.job.Jobs;
import dev.howdah.job.JobsException;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.Outcome;
import dev.howdah.spi.RetryPolicy;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.postgresql.ds.PGSimpleDataSource;

/** {@code NodeProgram ADDRESS FILE}: a node whose handlers write down when they begin and end. Stops when its input ends. */
final class NodeProgram {
    /**
     * What a job is to do.
     *
     * @param n its number in the history
     * @param fails how many attempts fail before the last
     * @param fatal whether the last one fails for good
     * @param snoozes whether the first attempt is put off
     * @param millis how long an attempt takes
     * @param commits whether it takes effect in the job's own transaction
     * @param decides whether its handler says itself what becomes of it
     * @param queue where it waits
     * @param group with which others it shares a key, and what for; empty: with none
     */
    record Order(
            long n,
            int fails,
            boolean fatal,
            boolean snoozes,
            int millis,
            boolean commits,
            boolean decides,
            String queue,
            String group) {

        /** In the queue {@link #GROUPED}. */
        String tenant() {
            return "tenant " + n % TENANTS;
        }

        boolean hasKey() {
            return group.startsWith("unique");
        }

        boolean hasVersion() {
            return group.startsWith("version");
        }

        boolean hasOrder() {
            return group.startsWith("order");
        }
    }

    /**
     * What a job of a workflow is to do.
     *
     * @param fails how many attempts fail before the last
     * @param fatal whether the last one fails for good
     * @param millis how long an attempt takes
     */
    record Part(int fails, boolean fatal, int millis) {}

    /** A queue of which only some jobs run at a time, and fewer of the kind that decides. */
    static final String NARROW = "narrow";
    /** Of this queue so many jobs begin in a second at most. */
    static final String PACED = "paced";

    static final int PACED_MOST = 20;
    /** Of each group of this queue so many run at a time, and so many begin in two seconds. */
    static final String GROUPED = "grouped";

    static final int GROUPED_MOST = 2;
    static final int GROUPED_RATE = 12;
    static final int TENANTS = 5;

    static final int NARROW_MOST = 4;
    static final int DECIDES_MOST = 2;

    static final Kind<Order> PLAIN = Kind.of("plain", Order.class);
    static final Kind<Order> DECIDES = Kind.of("decides", Order.class);
    static final Kind<Order> COMMITS = Kind.of("commits", Order.class);

    static final Kind<Part> PART = Kind.of("part", Part.class);
    static final Kind<String> CALLBACK = Kind.of("callback", String.class);

    /** Not a channel: that is closed when a thread that writes is interrupted. */
    private final FileOutputStream file;

    private NodeProgram(Path path) throws IOException {
        this.file = new FileOutputStream(path.toFile(), true);
    }

    static PGSimpleDataSource source(String address) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl("jdbc:" + address);
        source.setApplicationName("howdah-node");
        source.setConnectTimeout(5);
        return source;
    }

    public static void main(String[] arguments) throws Exception {
        NodeProgram program = new NodeProgram(Path.of(arguments[1]));
        CountDownLatch over = untilInputEnds();
        while (over.getCount() > 0) {
            try (Jobs jobs = program.start(arguments[0])) {
                over.await();
            } catch (JobsException e) {
                // The server may be down just now.
                System.err.println(e.getMessage());
                over.await(200, TimeUnit.MILLISECONDS);
            }
        }
    }

    /** Released when the program that has started this one hangs up. */
    static CountDownLatch untilInputEnds() {
        CountDownLatch over = new CountDownLatch(1);
        Thread listening = new Thread(() -> awaitEnd(over), "input");
        listening.setDaemon(true);
        listening.start();
        return over;
    }

    /** Whoever started it has hung up. */
    private static void awaitEnd(CountDownLatch over) {
        try {
            while (System.in.read() >= 0) Thread.onSpinWait();
        } catch (IOException e) {
            // As good as an end.
        }
        over.countDown();
    }

    private Jobs start(String address) {
        return Jobs.on(source(address))
                .concurrency(8)
                .queues(NewJob.DEFAULT_QUEUE, NARROW, PACED, GROUPED)
                .shutdownTimeout(Duration.ofSeconds(2))
                .defaultRetries(RetryPolicy.linear(Duration.ofMillis(10), 100))
                .handle(PLAIN, this::work)
                .handle(PART, (part, job) -> {
                    Thread.sleep(part.millis());
                    if (job.attempt() <= part.fails()) throw new IllegalStateException("attempt " + job.attempt());
                    if (part.fatal()) throw new FatalException("for good");
                    job.result(job.attempt());
                })
                .handle(CALLBACK, (text, job) -> {})
                .handleWithOutcome(DECIDES, this::decide)
                .handleInTransaction(COMMITS, (order, job, connection) -> {
                    try (PreparedStatement effect = connection.prepareStatement("INSERT INTO effect VALUES (?)")) {
                        effect.setLong(1, order.n());
                        effect.executeUpdate();
                    }
                    work(order, job);
                })
                .start();
    }

    private void work(Order order, Job job) throws Exception {
        say('B', order, job);
        try {
            if (order.millis() > 0) Thread.sleep(order.millis());
            if (job.attempt() <= order.fails()) throw new IllegalStateException("attempt " + job.attempt());
            if (order.fatal()) throw new FatalException("for good");
        } finally {
            say('E', order, job);
        }
    }

    private Outcome decide(Order order, Job job) throws Exception {
        say('B', order, job);
        try {
            if (order.millis() > 0) Thread.sleep(order.millis());
            if (order.snoozes() && job.fencingToken() % 2 == 0) return Outcome.snooze(Duration.ofMillis(5));
            if (job.attempt() <= order.fails()) return Outcome.retry(Duration.ofMillis(5), "attempt " + job.attempt());
            return order.fatal() ? Outcome.fail("for good") : Outcome.done();
        } finally {
            say('E', order, job);
        }
    }

    /** One write for a line: what a process has said before it is killed stays. */
    private void say(char what, Order order, Job job) throws IOException {
        String line = what + " " + order.n() + " " + job.id() + " " + job.fencingToken() + " " + job.attempt() + " "
                + System.nanoTime() + "\n";
        synchronized (file) {
            file.write(line.getBytes(StandardCharsets.US_ASCII));
        }
    }
}
