package dev.howdah.benchmarks.faults;

import dev.howdah.job.Jobs;
import dev.howdah.job.NewJob;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** Nodes under fire: three processes work what two producers add, while something breaks all the time. */
final class JobFaults implements AutoCloseable {
    private static final int NODES = 3;
    private static final int PRODUCERS = 2;
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    /** What has to be gone when all has come to rest. */
    private static final Map<String, String> LEFT = new LinkedHashMap<>();

    static {
        LEFT.put("jobs wait", "(SELECT count(*) FROM howdah_internal.job)");
        LEFT.put("batches are open", "(SELECT count(*) FROM howdah_internal.batch WHERE ended IS NULL)");
        LEFT.put("jobs wait for their turn", "(SELECT count(*) FROM howdah_internal.ordered)");
        LEFT.put("turns are held", "(SELECT count(*) FROM howdah_internal.order_key)");
        LEFT.put("jobs follow others", "(SELECT count(*) FROM howdah_internal.follower)");
        LEFT.put("keys are held", "(SELECT count(*) FROM howdah_internal.key WHERE ended IS NULL)");
        LEFT.put("keys are late", "(SELECT count(*) FROM howdah_internal.key_late)");
        LEFT.put("jobs are to be cancelled", "(SELECT count(*) FROM howdah_internal.cancellation)");
        LEFT.put("workflows have not ended", "(SELECT count(*) FROM howdah_internal.workflow WHERE ended IS NULL)");
        LEFT.put("events of workflows are left", "(SELECT count(*) FROM howdah_internal.workflow_event)");
        LEFT.put(
                "nodes are not seen to be dead",
                "(SELECT greatest(count(*) - " + NODES + ", 0) FROM howdah_internal.node)");
    }

    private final TestBed bed;
    private final List<JobProducer> producers = new ArrayList<>();
    private final Pauses pauses = new Pauses();

    private JobFaults(TestBed bed) {
        this.bed = bed;
    }

    /** In a fresh directory, which stays if anything is found. */
    static JobFaults open(long seed) throws IOException {
        return new JobFaults(TestBed.open("jobs", NodeProgram.class, seed));
    }

    /** Where all logs are. */
    Path directory() {
        return bed.directory();
    }

    /**
     * Does harm for so long, then waits until all has come to rest.
     *
     * @return figures; {@code complaints} among them are what contradicts the promises
     */
    Map<String, Object> play(int seconds) throws Exception {
        Jobs.on(bed.source()).start().close();
        bed.execute("CREATE TABLE effect (n bigint NOT NULL); SELECT howdah.limit('" + NodeProgram.NARROW + "', "
                + NodeProgram.NARROW_MOST + "), howdah.limit('" + NodeProgram.NARROW + "', " + NodeProgram.DECIDES_MOST
                + ", kind => '" + NodeProgram.DECIDES.name() + "'), howdah.rate_limit('" + NodeProgram.PACED + "', "
                + NodeProgram.PACED_MOST + ", '1 s'), howdah.rate_limit('" + NodeProgram.GROUPED + "', "
                + NodeProgram.GROUPED_RATE + ", '2 s', each_group => true), howdah.limit('" + NodeProgram.GROUPED
                + "', " + NodeProgram.GROUPED_MOST + ", each_group => true)");
        for (int i = 0; i < NODES; i++) bed.startNode();
        AtomicLong numbers = new AtomicLong();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < PRODUCERS; i++) {
            JobProducer producer = new JobProducer(bed.source(), bed.seed() + i + 1, numbers, 2_000);
            producers.add(producer);
            Thread thread = new Thread(producer, "producer-" + i);
            threads.add(thread);
            thread.start();
        }
        WorkflowProducer workflows = new WorkflowProducer(bed.source(), bed.seed() + PRODUCERS + 1);
        Thread drill = new Thread(workflows, "workflows");
        threads.add(drill);
        drill.start();
        long until = System.nanoTime() + Duration.ofSeconds(seconds).toNanos();
        while (System.nanoTime() - until < 0) {
            harm();
            measure();
            TestBed.pause(bed.chance(60));
        }
        producers.forEach(JobProducer::over);
        workflows.over();
        for (Thread each : threads) each.join();
        List<String> complaints = new ArrayList<>();
        if (!comesToRest()) complaints.add("it does not come to rest: " + left());
        bed.stopNodes(complaints);
        JobHistory history = JobHistory.read(bed.source(), bed.files(), complaints);
        List<Asked> asked = producers.stream().map(JobProducer::asked).toList();
        JobChecker checker = new JobChecker(history, asked, complaints);
        checker.check();
        GroupChecker groups = new GroupChecker(history, asked, complaints);
        groups.check();
        complaints.addAll(pauses.complaints(bed.source()));
        Map<String, Object> counts = new LinkedHashMap<>();
        counts.put("seconds", seconds);
        counts.putAll(checker.counts());
        counts.putAll(groups.counts());
        workflows.check(counts, complaints);
        counts.put("pauses_watched", pauses.count());
        return bed.figures("jobs", counts, complaints);
    }

    private void harm() throws Exception {
        int what = bed.chance(1000);
        if (what < 12) {
            bed.killNode();
            bed.startNode();
        } else if (what < 16) {
            bed.stopNode();
            bed.startNode();
        } else if (what < 40) {
            bed.freezeNode(20 + bed.chance(800));
        } else if (what < 43) {
            bed.freezeNode(11_000 + bed.chance(3000));
        } else if (what < 47) {
            bed.restartServer(bed.chance(2) == 0 ? "INT" : "QUIT");
        } else if (what < 100) {
            pause();
        } else {
            terminate();
        }
    }

    /** A queue, or a kind of it, for a moment or so long that it can be said that nothing was taken. */
    private void pause() {
        boolean longer = bed.chance(4) == 0;
        try {
            pauses.pause(
                    bed.source(),
                    bed.chance(2) == 0 ? NewJob.DEFAULT_QUEUE : NodeProgram.NARROW,
                    bed.chance(2) == 0 ? null : NodeProgram.PLAIN.name(),
                    longer ? 3_000 : bed.chance(200));
            bed.count(longer ? "pause_long" : "pause", 1);
        } catch (SQLException e) {
            // Next time; before rest all go on anyway.
        }
    }

    private void terminate() {
        String which = switch (bed.chance(4)) {
            case 0 -> "query LIKE '%howdah_internal.batch%'";
            case 1 -> "state <> 'idle'";
            case 2 -> "query LIKE '%howdah_internal.node%'";
            default -> "true";
        };
        try (Connection connection = bed.source().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery("SELECT count(pg_terminate_backend(s.pid)) FROM (SELECT a.pid FROM"
                                + " pg_stat_activity a WHERE a.datname = current_database() AND a.pid <> pg_backend_pid() AND "
                                + which + " ORDER BY random() LIMIT " + (1 + bed.chance(4)) + ") s")) {
            row.next();
            bed.count("terminate", row.getInt(1));
        } catch (SQLException e) {
            // The server is down or full.
        }
    }

    private void measure() {
        try {
            long waiting = bed.number("SELECT count(*) FROM (SELECT FROM howdah_internal.job LIMIT 5000) j");
            producers.forEach(each -> each.waiting(waiting));
        } catch (SQLException e) {
            // Another time.
        }
    }

    private boolean comesToRest() throws SQLException {
        bed.execute("UPDATE howdah_internal.lane SET paused = NULL, kinds_paused = NULL");
        return bed.comesToRest("SELECT " + String.join(" + ", LEFT.values()), PATIENCE);
    }

    private String left() throws SQLException {
        List<String> left = new ArrayList<>();
        for (Map.Entry<String, String> each : LEFT.entrySet()) {
            long count = bed.number("SELECT " + each.getValue());
            if (count > 0) left.add(count + " " + each.getKey());
        }
        return String.join(", ", left);
    }

    /** Ends everything; if nothing was found nothing stays. */
    @Override
    public void close() throws InterruptedException, IOException {
        producers.forEach(JobProducer::over);
        bed.close();
    }
}
