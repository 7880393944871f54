package dev.howdah.benchmarks.faults;

import dev.howdah.benchmarks.faults.NodeProgram.Order;
import dev.howdah.job.Jobs;
import dev.howdah.job.JobsException;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/** Adds jobs of all kinds in all ways, and keeps in mind which of them have to be there. */
final class JobProducer implements Runnable {
    /** What is known of a job that was to be added. */
    enum Fate {
        COMMITTED,
        ROLLED_BACK,
        /** The session was lost meanwhile. */
        UNKNOWN
    }

    private final DataSource source;
    private final Random random;
    private final AtomicLong numbers;
    private final int mostWaiting;
    private final Map<Long, Order> orders = new ConcurrentSkipListMap<>();
    private final Map<Long, Fate> fates = new ConcurrentHashMap<>();
    private volatile boolean over;
    private volatile long pauseMillis;

    JobProducer(DataSource source, long seed, AtomicLong numbers, int mostWaiting) {
        this.source = source;
        this.random = new Random(seed);
        this.numbers = numbers;
        this.mostWaiting = mostWaiting;
    }

    Map<Long, Order> orders() {
        return orders;
    }

    Fate fate(long n) {
        return fates.getOrDefault(n, Fate.UNKNOWN);
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
                // The server is down: begin anew. What became of the last job nobody knows.
                LockSupport.parkNanos(Duration.ofMillis(200).toNanos());
            }
        }
    }

    private void step(Jobs jobs) {
        switch (random.nextInt(4)) {
            case 0 -> {
                NewJob<Order> job = order();
                jobs.add(job);
                fates.put(last, Fate.COMMITTED);
            }
            case 1 -> {
                List<NewJob<Order>> many = new ArrayList<>();
                List<Long> ns = several(many, 1 + random.nextInt(40));
                jobs.addAll(many);
                for (long n : ns) fates.put(n, Fate.COMMITTED);
            }
            default -> inTransaction(jobs, random.nextInt(3) > 0);
        }
    }

    private void inTransaction(Jobs jobs, boolean commit) {
        List<NewJob<Order>> many = new ArrayList<>();
        List<Long> ns = several(many, 1 + random.nextInt(5));
        Fate fate = Fate.ROLLED_BACK;
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            for (NewJob<Order> each : many) jobs.add(connection, each);
            if (commit) {
                fate = Fate.UNKNOWN;
                connection.commit();
                fate = Fate.COMMITTED;
            } else {
                connection.rollback();
            }
        } catch (SQLException | JobsException e) {
            // Without a commit nothing is there; with one that failed nobody knows.
        }
        for (long n : ns) fates.put(n, fate);
    }

    private long last;

    private List<Long> several(List<NewJob<Order>> into, int count) {
        List<Long> ns = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            into.add(order());
            ns.add(last);
        }
        return ns;
    }

    private NewJob<Order> order() {
        last = numbers.incrementAndGet();
        int fails = random.nextInt(5) == 0 ? 1 + random.nextInt(2) : 0;
        int millis = random.nextInt(40) == 0 ? 300 : random.nextInt(8);
        Kind<Order> kind = switch (random.nextInt(4)) {
            case 0 -> NodeProgram.COMMITS;
            case 1 -> NodeProgram.DECIDES;
            default -> NodeProgram.PLAIN;
        };
        Order order = new Order(
                last, fails, random.nextInt(20) == 0, random.nextInt(4) == 0, millis, kind == NodeProgram.COMMITS);
        orders.put(last, order);
        NewJob<Order> job = NewJob.of(kind, order).priority(random.nextInt(5) - 2);
        return random.nextInt(5) == 0 ? job.delay(Duration.ofMillis(random.nextInt(500))) : job;
    }
}
