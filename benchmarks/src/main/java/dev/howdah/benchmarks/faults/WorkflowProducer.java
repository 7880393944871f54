package dev.howdah.benchmarks.faults;

import dev.howdah.benchmarks.faults.NodeProgram.Part;
import dev.howdah.job.Jobs;
import dev.howdah.job.JobsException;
import dev.howdah.job.NewJob;
import dev.howdah.job.workflow.After;
import dev.howdah.job.workflow.Workflow;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/** Adds workflows of random shapes, cancels some, and proves from the tables that each of them ended and its callback ran once. */
final class WorkflowProducer implements Runnable {
    /** What must not be found when all has come to rest; each counts what contradicts it. */
    private static final Map<String, String> WRONG = new LinkedHashMap<>();

    static {
        WRONG.put(
                "workflows do not add up",
                "SELECT count(*) FROM howdah_internal.workflow WHERE total <> done + failed + cancelled");
        WRONG.put(
                "callbacks did not run once",
                "SELECT count(*) FROM howdah_internal.workflow_job j LEFT JOIN (SELECT t.id, count(*) AS times FROM howdah.taken t"
                        + " WHERE t.kind = 'callback' AND t.letter = 'd' GROUP BY t.id) d ON d.id = j.id"
                        + " WHERE j.callback AND COALESCE(d.times, 0) <> 1"
                        + " AND NOT EXISTS (SELECT FROM howdah_internal.failed f WHERE f.id = j.id AND f.error LIKE '%has died%')");
        WRONG.put(
                "jobs of workflows were done twice",
                "SELECT count(*) FROM (SELECT FROM howdah.taken t WHERE t.kind = 'part' AND t.letter = 'd'"
                        + " GROUP BY t.id HAVING count(*) > 1) t");
        WRONG.put(
                "jobs ran though one before them was not done",
                "SELECT count(*) FROM howdah_internal.workflow_job j JOIN howdah_internal.workflow_edge e ON e.after = j.id"
                        + " JOIN howdah_internal.workflow_job b ON b.id = e.before"
                        + " WHERE j.runs_when = 'done' AND j.state = 'done' AND b.state <> 'done'");
    }

    private final DataSource source;
    private final Random random;
    private volatile boolean over;
    private final AtomicLong added = new AtomicLong();

    WorkflowProducer(DataSource source, long seed) {
        this.source = source;
        this.random = new Random(seed);
    }

    /** No more are added. */
    void over() {
        over = true;
    }

    @Override
    public void run() {
        while (!over) {
            try (Jobs jobs = Jobs.on(source).start()) {
                while (!over) {
                    long id = jobs.workflows().add(shape());
                    added.incrementAndGet();
                    if (random.nextInt(8) == 0) jobs.workflows().cancel(id);
                    LockSupport.parkNanos(Duration.ofMillis(150).toNanos());
                }
            } catch (JobsException e) {
                // The server is down: begin anew.
                LockSupport.parkNanos(Duration.ofMillis(200).toNanos());
            }
        }
    }

    private Workflow shape() {
        Workflow workflow = Workflow.of("drill").whenEnded(NewJob.of(NodeProgram.CALLBACK, "ended"));
        List<String> names = new ArrayList<>();
        for (int i = random.nextInt(6); i >= 0; i--) {
            List<String> before = new ArrayList<>();
            for (String each : names) if (random.nextInt(3) == 0) before.add(each);
            String name = "part " + names.size();
            After.Condition condition = After.Condition.values()[random.nextInt(3)];
            workflow = before.isEmpty()
                    ? workflow.job(name, part())
                    : workflow.job(name, part(), new After(condition, before));
            names.add(name);
        }
        List<NewJob<Part>> members = new ArrayList<>();
        for (int i = random.nextInt(30); i > 0; i--) members.add(part());
        return workflow.jobs(members);
    }

    private NewJob<Part> part() {
        return NewJob.of(
                NodeProgram.PART,
                new Part(random.nextInt(6) == 0 ? 1 : 0, random.nextInt(12) == 0, random.nextInt(10)));
    }

    /** After all has come to rest. */
    void check(Map<String, Object> counts, List<String> complaints) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            for (Map.Entry<String, String> each : WRONG.entrySet()) {
                long wrong = number(statement, each.getValue());
                if (wrong > 0) complaints.add(wrong + " " + each.getKey());
            }
            long there = number(statement, "SELECT count(*) FROM howdah_internal.workflow");
            if (there < added.get()) complaints.add(added + " workflows were added, and " + there + " are there");
            counts.put("workflows", there);
        }
    }

    private static long number(Statement statement, String sql) throws SQLException {
        try (ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }
}
