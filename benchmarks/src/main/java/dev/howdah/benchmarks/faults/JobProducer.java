package dev.howdah.benchmarks.faults;

import dev.howdah.benchmarks.faults.NodeProgram.Order;
import dev.howdah.job.AddResult;
import dev.howdah.job.CancelResult;
import dev.howdah.job.Jobs;
import dev.howdah.job.JobsException;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/** Adds jobs of all kinds in all ways, and keeps in mind which of them have to be there. */
final class JobProducer implements Runnable {
    private static final int KEYS = 12;

    private final DataSource source;
    private final Random random;
    private final AtomicLong numbers;
    private final int mostWaiting;
    private final Asked asked = new Asked();
    private final Deque<Long> recent = new ArrayDeque<>();
    private volatile boolean over;
    private volatile long pauseMillis;

    JobProducer(DataSource source, long seed, AtomicLong numbers, int mostWaiting) {
        this.source = source;
        this.random = new Random(seed);
        this.numbers = numbers;
        this.mostWaiting = mostWaiting;
    }

    /** What it has asked for. */
    Asked asked() {
        return asked;
    }

    void over() {
        over = true;
    }

    /** Slower, because too much waits already. */
    void waiting(long jobs) {
        pauseMillis = jobs > mostWaiting ? 200 : 5;
    }

    @Override
    public void run() {
        while (!over) {
            try (Jobs jobs = Jobs.on(source).start()) {
                while (!over) {
                    step(jobs);
                    LockSupport.parkNanos(Duration.ofMillis(pauseMillis).toNanos());
                }
            } catch (JobsException e) {
                // The server is down: begin anew. What became of the last job is not known.
                LockSupport.parkNanos(Duration.ofMillis(200).toNanos());
            }
        }
    }

    private void step(Jobs to) {
        switch (random.nextInt(9)) {
            case 0, 1 -> {
                NewJob<Order> job = order("");
                added(last, to.add(job).id());
            }
            case 2 -> {
                List<NewJob<Order>> many = new ArrayList<>();
                List<Long> ns = several(many, 1 + random.nextInt(40));
                List<Long> ids = to.addAll(many);
                for (int i = 0; i < ns.size(); i++) added(ns.get(i), ids.get(i));
            }
            case 3 -> {
                NewJob<Order> job = order("order " + random.nextInt(KEYS));
                added(last, to.add(job).id());
            }
            case 4 -> {
                NewJob<Order> job = order((random.nextBoolean() ? "unique " : "version ") + random.nextInt(KEYS));
                AddResult answer = to.add(job);
                if (answer.added()) added(last, answer.id());
                else asked.fate(last, Asked.Fate.REFUSED);
            }
            case 5 -> cancel(to);
            default -> inTransaction(to, random.nextInt(3) > 0);
        }
    }

    private void added(long n, long job) {
        asked.added(n, job);
        Order order = asked.orders().get(n);
        // By its number the newest version would be cancelled, whichever that is.
        if (order != null && !order.hasVersion()) recent.add(n);
        if (recent.size() > 200) recent.remove();
    }

    private void cancel(Jobs to) {
        Long n = random.nextBoolean() ? recent.pollFirst() : recent.pollLast();
        Long job = n == null ? null : asked.job(n);
        if (n == null || job == null) return;
        // Nobody knows, until there is an answer.
        asked.cancelled(n, CancelResult.ASKED, Long.MAX_VALUE);
        CancelResult result = to.admin().cancel(job);
        asked.cancelled(n, result, System.nanoTime());
    }

    private void inTransaction(Jobs to, boolean commit) {
        Map<Long, Long> ids = new LinkedHashMap<>();
        Set<Long> refused = new HashSet<>();
        List<Long> tried = new ArrayList<>();
        Asked.Fate fate = Asked.Fate.ROLLED_BACK;
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            for (int i = 1 + random.nextInt(5); i > 0; i--) {
                // One key at most: who waits for one while he has another may wait for ever.
                String group = switch (i == 1 ? random.nextInt(6) : 5) {
                    case 0 -> "unique ";
                    case 1 -> "version ";
                    case 2 -> "order ";
                    default -> "";
                };
                NewJob<Order> job = order(group.isEmpty() ? group : group + random.nextInt(KEYS));
                tried.add(last);
                AddResult answer = to.add(connection, job);
                if (answer.added()) ids.put(last, answer.id());
                else refused.add(last);
            }
            if (commit) {
                fate = Asked.Fate.UNKNOWN;
                connection.commit();
                fate = Asked.Fate.COMMITTED;
            } else {
                connection.rollback();
            }
        } catch (SQLException | JobsException e) {
            // Without a commit nothing is there; with one that failed it is not known.
        }
        for (long n : tried) asked.fate(n, refused.contains(n) ? Asked.Fate.REFUSED : fate);
        if (fate == Asked.Fate.COMMITTED) ids.forEach(this::added);
    }

    private long last;

    private List<Long> several(List<NewJob<Order>> into, int count) {
        List<Long> ns = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            into.add(order(""));
            ns.add(last);
        }
        return ns;
    }

    private NewJob<Order> order(String group) {
        last = numbers.incrementAndGet();
        int fails = random.nextInt(5) == 0 ? 1 + random.nextInt(2) : 0;
        int millis = random.nextInt(40) == 0 ? 300 : random.nextInt(8);
        Kind<Order> kind = switch (random.nextInt(4)) {
            case 0 -> NodeProgram.COMMITS;
            case 1 -> NodeProgram.DECIDES;
            default -> NodeProgram.PLAIN;
        };
        boolean fatal = random.nextInt(20) == 0;
        String queue = NewJob.DEFAULT_QUEUE;
        if (group.isEmpty())
            queue = switch (random.nextInt(48)) {
                case 0, 1, 2, 3, 4, 5, 6, 7 -> NodeProgram.NARROW;
                case 8 -> NodeProgram.PACED;
                case 9 -> NodeProgram.GROUPED;
                default -> queue;
            };
        // A key is one of its kind.
        if (group.startsWith("unique") || group.startsWith("version")) kind = NodeProgram.PLAIN;
        Order order = new Order(
                last,
                fails,
                fatal && !group.startsWith("version"),
                random.nextInt(4) == 0,
                millis,
                kind == NodeProgram.COMMITS,
                kind == NodeProgram.DECIDES,
                queue,
                group);
        asked.order(order);
        NewJob<Order> job =
                NewJob.of(kind, order).priority(random.nextInt(5) - 2).queue(queue);
        if (queue.equals(NodeProgram.GROUPED)) job = job.group(order.tenant());
        if (order.hasKey()) job = job.key(group);
        if (order.hasVersion()) job = job.key(group).version(Instant.ofEpochSecond(last));
        if (order.hasOrder()) job = job.orderKey(group);
        return random.nextInt(5) == 0 ? job.delay(Duration.ofMillis(random.nextInt(500))) : job;
    }
}
