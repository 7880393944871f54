package dev.howdah.job;

import dev.howdah.fixtures.ChildJvm;
import dev.howdah.job.wait.Child;
import dev.howdah.job.wait.Wait;
import dev.howdah.spi.RetryPolicy;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

/** A node in a program of its own, for tests that kill or freeze it. It says what its handlers do, a line for each. */
final class JobProcess implements AutoCloseable {
    static final Kind<String> WORK = Kind.of("work", String.class);

    /** Of two steps, the second one of which ends only where the payload is not "hang". */
    static final Kind<String> STEPS = Kind.of("steps", String.class);

    /** Sleeps, waits for so many signals, and for so many children; each of its steps writes a row. */
    static final Kind<String> LASTING = Kind.of("lasting", String.class);

    /** Five stretches between sleeps of an hour, each of which ends only when the table {@code released} has its number. */
    static final Kind<String> STRETCHES = Kind.of("stretches", String.class);

    static final int SIGNALS = 3;
    static final int CHILDREN = 3;
    static final Kind<Integer> PART = Kind.of("part", Integer.class);

    private final ChildJvm child;
    private final Collection<String> said;

    private JobProcess(ChildJvm child) {
        this.child = child;
        this.said = child.lines();
    }

    /** Starts one and waits until it works. */
    static JobProcess at(String uri, int concurrency) {
        JobProcess started = started(uri, concurrency);
        started.awaitSaid("works");
        return started;
    }

    /** Starts one whose first job may end it before it says that it works. */
    static JobProcess started(String uri, int concurrency) {
        return new JobProcess(ChildJvm.start(
                JobProcess.class,
                List.of("-XX:TieredStopAtLevel=1", "-Dorg.slf4j.simpleLogger.defaultLogLevel=debug"),
                uri,
                Integer.toString(concurrency)));
    }

    void awaitSaid(String line) {
        JobsDatabase.awaiting("the other process says: " + line).until(() -> said.contains(line));
    }

    boolean hasSaid(String line) {
        return said.contains(line);
    }

    /** As {@link ChildJvm#freeze}. */
    void freeze() {
        child.freeze();
    }

    /** As {@link ChildJvm#thaw}. */
    void thaw() {
        child.thaw();
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

    /** @param arguments the address of the database, and how many jobs at once */
    public static void main(String[] arguments) throws InterruptedException {
        Jobs.on(JobsDatabase.source(arguments[0]))
                .concurrency(Integer.parseInt(arguments[1]))
                .defaultRetries(RetryPolicy.after(Duration.ofMillis(10), Duration.ofMillis(10), Duration.ofMillis(10)))
                .handle(WORK, JobProcess::work)
                .handleInTransaction(Kind.of("commit", String.class), (payload, job, connection) -> work(payload, job))
                .handle(STEPS, JobProcess::steps)
                .handle(LASTING, JobProcess::lasting)
                .handle(PART, JobProcess::part)
                .handle(STRETCHES, (payload, job) -> stretches(arguments[0], job))
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

    private static void steps(String payload, Job job) throws Exception {
        Integer first = job.stepInTransaction("first", Integer.class, connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute("INSERT INTO effect VALUES (" + job.id() + ", 'first')");
            }
            return 41;
        });
        job.step("second", Void.class, () -> {
            say("second " + job.id() + " after " + first);
            if (payload.equals("hang")) new CountDownLatch(1).await();
            return null;
        });
    }

    private static void stretches(String uri, Job job) throws Exception {
        for (int i = 0; i < 5; i++) {
            int stretch = i;
            job.step("stretch " + i, Void.class, () -> {
                say("stretch " + stretch + " of " + job.attempt());
                try (Connection connection = JobsDatabase.source(uri).getConnection();
                        Statement statement = connection.createStatement();
                        ResultSet row = statement.executeQuery("SELECT FROM released WHERE n = " + stretch)) {
                    if (!row.next()) new CountDownLatch(1).await();
                }
                return null;
            });
            if (i < 4) job.sleep("pause", Duration.ofHours(1));
        }
    }

    private static void lasting(String payload, Job job) throws Exception {
        effect(job, "first");
        job.sleep("pause", Duration.ofMillis(2_100));
        effect(job, "second");
        for (int i = 0; i < SIGNALS; i++) {
            if (i == 0) job.awaitOrFail("m", Integer.class, Duration.ofHours(1));
            else job.awaitAny("any", Wait.signal("m", Integer.class), Wait.time(Duration.ofHours(1)));
            effect(job, "signal " + i);
        }
        try {
            job.step("refused", Void.class, () -> {
                throw new IOException("as always");
            });
        } catch (IOException e) {
            effect(job, "caught");
        }
        List<Child> parts = job.children(
                "part",
                IntStream.range(0, CHILDREN).mapToObj(i -> NewJob.of(PART, i)).toList());
        job.awaitChildren(parts);
        int sum = 0;
        for (Child each : parts) sum += Objects.requireNonNull(job.awaitChild(each, Integer.class));
        effect(job, "last " + sum);
    }

    private static void part(int number, Job job) throws Exception {
        effect(job, "part");
        if (number == 0) job.sleep("pause", Duration.ofMillis(2_100));
        job.result(number);
    }

    private static void effect(Job job, String what) throws Exception {
        job.stepInTransaction(what, Integer.class, connection -> {
            try (Statement statement = connection.createStatement()) {
                return statement.executeUpdate(
                        "INSERT INTO effect (job, what) VALUES (" + job.id() + ", '" + what + "')");
            }
        });
    }

    private static synchronized void say(String line) {
        System.out.println(line);
    }
}
