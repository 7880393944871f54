package dev.howdah.job;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.node.NodeIdentity;
import dev.howdah.internal.run.Threads;
import dev.howdah.internal.sql.Sql;
import dev.howdah.job.internal.attempt.ClaimedJob;
import dev.howdah.job.internal.batch.BatchStore;
import dev.howdah.job.internal.batch.ClaimId;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.batch.ScanBounds;
import dev.howdah.job.internal.claim.ConcurrencyLimits;
import dev.howdah.job.internal.claim.NodeContext;
import dev.howdah.job.internal.execute.JobExecutor;
import dev.howdah.job.internal.execute.RunningJobs;
import dev.howdah.job.internal.insert.InsertRowFactory;
import dev.howdah.job.internal.lane.Lane;
import dev.howdah.job.internal.lane.LaneRegistry;
import dev.howdah.job.internal.maintain.NotesWriter;
import dev.howdah.job.internal.maintain.OrderKeyPromoter;
import dev.howdah.job.internal.maintain.WorkflowSettler;
import dev.howdah.job.internal.node.CrashedNodes;
import dev.howdah.job.internal.schedule.ScheduleEnqueuer;
import dev.howdah.job.internal.store.JobSession;
import dev.howdah.job.internal.store.JobSql;
import dev.howdah.job.internal.wait.SignalPairer;
import dev.howdah.job.internal.worker.PoisonJobRunner;
import dev.howdah.job.internal.worker.WorkerThreads;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Runs jobs only when {@link #runDue} is called, one after the other, in the calling thread: for tests. For one thread
 * at a time; other threads may add jobs.
 */
public final class ManualJobs implements AutoCloseable {
    private static final Sql WAITED = JobSql.WAIT.statement("wait_list_jobs");
    private static final int PAGE = 100;
    private static final ClaimId NO_CLAIM = new ClaimId(0, 0);

    private final Jobs jobs;
    private final String schema;
    private final JobSession session;
    private final NodeIdentity identity;
    private final JobExecutor executor;
    private final RunningJobs.Seat seat;
    private final LaneRegistry lanes;
    private final Set<String> queues;
    private final NodeContext node;
    private final BatchStore store;
    private final NotesWriter notes;
    private final ScheduleEnqueuer schedules;
    private final CrashedNodes crashed;

    private ManualJobs(
            Jobs jobs,
            ConnectionSource source,
            JobSession session,
            NodeIdentity identity,
            JobExecutor executor,
            InsertRowFactory rows,
            LaneRegistry lanes,
            Set<String> queues) {
        this.jobs = jobs;
        this.schema = source.schema().name();
        this.session = session;
        this.identity = identity;
        this.executor = executor;
        this.seat = executor.running().seat();
        this.lanes = lanes;
        this.queues = queues;
        this.node = new NodeContext(
                identity.id(),
                1,
                WorkerThreads.of(Threads.platform("howdah-job")),
                executor,
                lanes,
                new PoisonJobRunner(source, executor),
                new ConcurrencyLimits(List.of(), 1, lanes::hasGroups));
        this.notes = new NotesWriter(executor.notes());
        this.schedules = new ScheduleEnqueuer(rows);
        this.crashed = new CrashedNodes(session, identity, node);
        this.store = new BatchStore(session, identity.id(), executor.aloneKinds(), executor.metrics(), lane -> false);
    }

    static ManualJobs open(
            Jobs jobs,
            ConnectionSource source,
            JobExecutor executor,
            InsertRowFactory rows,
            LaneRegistry lanes,
            Set<String> queues,
            String name)
            throws SQLException {
        JobSession session = JobSession.open(source);
        try {
            NodeIdentity identity = NodeIdentity.enter(session, name, null, JobSql.FEATURE);
            return new ManualJobs(jobs, source, session, identity, executor, rows, lanes, queues);
        } catch (SQLException | RuntimeException e) {
            session.close();
            throw e;
        }
    }

    /** Returns the schema of the tables; see {@link JobsBuilder#schema}. */
    public String schema() {
        return schema;
    }

    /** Returns the object that adds jobs. */
    public Jobs jobs() {
        return jobs;
    }

    /**
     * Runs all due jobs, in the order of priority and time within each queue, and those that are added or become due meanwhile. Schedules
     * whose time has come add their jobs before.
     *
     * @return the number of attempts
     * @throws JobsException if the database cannot be used
     */
    public int runDue() {
        return runDue(Duration.ZERO);
    }

    /**
     * As {@link #runDue()}, for schedules in a test's own time.
     *
     * @param ahead how much the test's time is ahead of the database's; the rows of the schedules are in the database's
     */
    public int runDue(Duration ahead) {
        return work("the due jobs could not be run", () -> {
            int attempts = 0;
            // Other programs may have added to queues that were not there yet.
            lanes.refresh(session.connection(), queues);
            for (boolean worked = true; worked; ) {
                worked = false;
                schedules.run(session, ahead);
                OrderKeyPromoter.letIn(session);
                SignalPairer.pair(session);
                WorkflowSettler.settle(session);
                for (Lane lane : lanes.forNode(queues, executor.kinds())) {
                    for (int made = runOne(lane); made > 0; made = runOne(lane)) {
                        attempts += made;
                        worked = true;
                    }
                }
            }
            notes.run(session);
            return attempts;
        });
    }

    /** As {@link #runDue(Duration)}, for one job only; false: none is due. */
    public boolean runNext(Duration ahead) {
        return work("the next job could not be run", () -> {
            lanes.refresh(session.connection(), queues);
            schedules.run(session, ahead);
            OrderKeyPromoter.letIn(session);
            SignalPairer.pair(session);
            WorkflowSettler.settle(session);
            for (Lane lane : lanes.forNode(queues, executor.kinds())) {
                if (runOne(lane) == 0) continue;
                notes.run(session);
                return true;
            }
            return false;
        });
    }

    /** Lets the schedules whose time has come add their jobs, and runs none. */
    public void addScheduled(Duration ahead) {
        work("the schedules could not be kept", () -> schedules.run(session, ahead));
    }

    private interface Work<T> {
        T run() throws SQLException;
    }

    private static <T> T work(String failure, Work<T> work) {
        try {
            return work.run();
        } catch (SQLException e) {
            throw new JobsException(failure + ": " + e.getMessage(), e);
        }
    }

    /**
     * Returns the jobs of crashed nodes to their queues, each with its attempt counted: at once, where a {@linkplain Jobs node} first makes
     * sure for some seconds that a node has crashed and not only lost its session. For tests that let a run crash.
     *
     * @return the number of nodes
     * @throws JobsException if the database cannot be used
     */
    public int recoverCrashed() {
        return work("the jobs of crashed nodes could not be returned", crashed::recover);
    }

    private int runOne(Lane lane) throws SQLException {
        if (lane.reader()) {
            List<ClaimedBatch> leases = store.claimLog(lane, 1, false).batches();
            for (ClaimedBatch lease : leases) run(lease);
            if (!leases.isEmpty()) return leases.size();
        }
        BatchStore.Claimed claimed = lanes.hasGroups(lane)
                ? store.claimWithin(lane, 1, 1, ScanBounds.NONE)
                : store.claim(List.of(), lane, 1, ScanBounds.NONE);
        List<ClaimedBatch> batches = claimed.batches();
        for (ClaimedBatch batch : batches) run(batch);
        return batches.size();
    }

    private void run(ClaimedBatch batch) throws SQLException {
        if (!executor.kinds().contains(batch.kind(0))) batch.refuse(0);
        else executor.run(seat, batch, batch.begin());
        node.router().makeLanes(batch);
        if (!batch.isWritten()) store.settle(batch);
    }

    /**
     * From now on each run of a job that has waited is rehearsed twice before it: the handler gets what earlier runs have recorded, and ends where it would
     * do something new. What is between steps and waits is done in these runs too.
     *
     * @param differences gets a sentence for each run in which the two have not asked for the same
     */
    public void replaying(Consumer<String> differences) {
        executor.replaying(differences);
    }

    /**
     * Runs the handlers of this program over what all jobs that have waited have recorded, each up to the first step or wait that is new, and twice: says of
     * which the records do not fit, and which do not ask for the same both times. No job is claimed or changed.
     */
    public List<String> rehearse() {
        return work("the jobs could not be rehearsed", () -> {
            List<String> problems = new ArrayList<>();
            long after = Long.MIN_VALUE;
            for (boolean more = true; more; ) {
                List<ClaimedBatch> batches = new ArrayList<>();
                more = false;
                try (ResultSet row = session.query(WAITED, after, PAGE)) {
                    while (row.next()) {
                        more = true;
                        after = row.getLong("job");
                        String kind = row.getString("kind");
                        if (kind == null) continue;
                        ClaimedJob job = ClaimedJob.of(after, row.getString("payload"), kind, row.getString("rest"));
                        Lane lane = new Lane(row.getInt("lane"), row.getString("queue"), null);
                        batches.add(new ClaimedBatch(identity.id(), NO_CLAIM, lane, kind, List.of(job)));
                    }
                }
                for (ClaimedBatch each : batches) {
                    String problem = executor.rehearse(each);
                    if (problem != null) problems.add(problem);
                }
            }
            return problems;
        });
    }

    /** Closes its connection; jobs stay as they are. */
    @Override
    public void close() {
        jobs.close();
        try {
            identity.leave(session, JobSql.FEATURE);
        } catch (SQLException e) {
            // Its lock ends with the session: others will notice.
        }
        session.close();
        executor.close();
    }
}
