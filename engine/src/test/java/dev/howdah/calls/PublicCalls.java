package dev.howdah.calls;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.JobAdmin;
import dev.howdah.job.Jobs;
import dev.howdah.job.JobsBuilder;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.Schedule;
import dev.howdah.job.query.BulkChange;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import dev.howdah.job.workflow.Workflow;
import dev.howdah.job.workflow.Workflows;
import dev.howdah.process.Intent;
import dev.howdah.process.Namespace;
import dev.howdah.process.NewEvent;
import dev.howdah.process.ProcessImport;
import dev.howdah.process.Processes;
import dev.howdah.process.ProcessesBuilder;
import dev.howdah.process.Request;
import dev.howdah.process.query.ProcessQuery;
import dev.howdah.sweep.Sweeps;
import dev.howdah.task.NewTask;
import dev.howdah.task.TaskQuery;
import dev.howdah.task.TaskState;
import dev.howdah.task.TaskTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** The calls of a program that uses all features over one pool. */
final class PublicCalls implements AutoCloseable {
    private static final Kind<Integer> WORK = Kind.of("work", Integer.class).queue("idle");
    private static final Kind<Integer> DONE = Kind.of("done", Integer.class);
    private static final JobQuery NONE = JobQuery.in(JobState.WAITING).queue("none");
    private static final AtomicLong NUMBER = new AtomicLong();

    private final List<Call> all = new ArrayList<>();
    private final ServerPool pool;
    private final boolean bridged;
    private final Jobs jobs;
    private final Processes processes;
    private final String known = "known" + next();

    /**
     * One call.
     *
     * @param joins whether it writes in the caller's transaction
     */
    record Call(String name, boolean joins, ServerPool.Work<?> work) {}

    /** A call that is given a connection. */
    private interface Given {
        void run(Connection connection) throws Exception;
    }

    /** A call that returns nothing. */
    private interface Step {
        void run() throws Exception;
    }

    /** @param bridged whether Howdah is told of the transactions of the pool; if not, only calls for which that matters */
    PublicCalls(TestDatabase database, ServerPool pool, boolean bridged) throws Exception {
        this.pool = pool;
        this.bridged = bridged;
        JobsBuilder forJobs =
                Jobs.on(pool.source()).sessionDataSource(Sources.of(database)).handle(DONE, (n, job) -> job.result(n));
        ProcessesBuilder forProcesses = Processes.on(pool.source())
                .sessionDataSource(Sources.of(database))
                .namespace(Namespace.of("n", (task, process) -> Intent.none().response("done")));
        if (bridged) {
            forJobs.transactions(pool.bridge());
            forProcesses.transactions(pool.bridge());
        }
        jobs = forJobs.start();
        processes = forProcesses.start();
        long done = jobs.add(DONE, 1);
        jobs.await(done, Patience.LIMIT);
        processes.init("n", known, null);
        adding();
        workflows();
        asking(jobs.admin(), done);
        changing(jobs.admin());
        schedules();
        ofProcesses();
        ofSweeps(Sweeps.on(pool.source()));
        ofTasks(TaskTable.on(pool.source(), "public", "task"));
    }

    List<Call> all() {
        return all;
    }

    @Override
    public void close() throws SQLException {
        jobs.close();
        processes.close();
        pool.close();
    }

    private static int next() {
        return (int) NUMBER.incrementAndGet();
    }

    private static List<NewJob<Integer>> two() {
        return List.of(NewJob.of(WORK, next()), NewJob.of(WORK, next()));
    }

    /** Joins if Howdah is told of the transaction. */
    private void joins(String name, Step step) {
        all.add(new Call(name, bridged, () -> {
            step.run();
            return 0;
        }));
    }

    private void beside(String name, Step step) {
        if (!bridged) return;
        all.add(new Call(name, false, () -> {
            step.run();
            return 0;
        }));
    }

    /** Joins in any case. */
    private void given(String name, Given call) {
        all.add(new Call(name, true, () -> {
            try (Connection connection = pool.source().getConnection()) {
                call.run(connection);
                if (pool.current() == null && !connection.getAutoCommit()) connection.commit();
            }
            return 0;
        }));
    }

    private void adding() {
        joins("add(kind, payload)", () -> jobs.add(WORK, next()));
        joins("add(job)", () -> jobs.add(NewJob.of(WORK, next()).key("k" + next())));
        joins("addAsync", () -> jobs.addAsync(WORK, next()).get());
        joins("addAll", () -> jobs.addAll(two()));
        joins("addEach", () -> jobs.addEach(two()));
        joins("add to a queue that is new", () -> jobs.add(NewJob.of(WORK.queue("new" + next()), next())));
        given("add(connection, job)", connection -> jobs.add(connection, NewJob.of(WORK, next())));
        given("addAll(connection, jobs)", connection -> jobs.addAll(connection, two()));
        given("addEach(connection, jobs)", connection -> jobs.addEach(connection, two()));
    }

    private void workflows() {
        Workflows flows = jobs.workflows();
        long open = flows.add(Workflow.of("open").open().job("a", NewJob.of(WORK, next())));
        joins("workflows.add", () -> flows.add(Workflow.of("w").jobs(two())));
        joins("workflows.addJobs", () -> flows.addJobs(open, two()));
        given(
                "workflows.add(connection, workflow)",
                connection -> flows.add(connection, Workflow.of("w").jobs(two())));
        given("workflows.addJobs(connection, jobs)", connection -> flows.addJobs(connection, open, two()));
        beside("workflows.find", () -> flows.find(open));
        beside("workflows.list", () -> flows.list(true, Long.MAX_VALUE, 10));
        beside("workflows.jobs", () -> flows.jobs(open));
        long other = flows.add(Workflow.of("other").jobs(two()));
        beside("workflows.cancel", () -> flows.cancel(other));
    }

    private void asking(JobAdmin admin, long done) {
        beside("await", () -> jobs.await(done, Patience.LIMIT));
        beside("awaitAsync", () -> jobs.awaitAsync(done).get());
        beside("result", () -> jobs.result(done, Integer.class).get());
        beside("admin.find", () -> admin.find(done));
        beside("admin.list", () -> admin.list(NONE));
        beside("admin.search", () -> admin.search(NONE));
        beside("admin.count", () -> admin.count(NONE));
        beside("admin.counts", admin::counts);
        beside("admin.events", () -> admin.events(null, 10));
        beside("admin.attempts", () -> admin.attempts(done));
        beside("admin.progress", () -> admin.progress(done));
        beside("admin.log", () -> admin.log(done, 10));
        beside("admin.steps", () -> admin.steps(done));
        beside("admin.why", () -> admin.why(done));
        beside("admin.queues", admin::queues);
        beside("admin.workflows", () -> admin.workflows(true, Long.MAX_VALUE, 10));
    }

    private void changing(JobAdmin admin) {
        long some = jobs.add(NewJob.of(WORK, next()).delay(Duration.ofDays(1))).id();
        beside("admin.runNow", () -> admin.runNow(some));
        beside("admin.cancel", () -> admin.cancel(some));
        beside("admin.retry", () -> admin.retry(some));
        beside("admin.setPriority", () -> admin.setPriority(some, 1));
        beside("admin.cancelAll", () -> admin.cancelAll(NONE));
        beside("admin.moveAll", () -> admin.moveAll(NONE, "other"));
        beside(
                "admin.retryAll",
                () -> admin.retryAll(JobQuery.in(JobState.FAILED).queue("none")));
        beside("admin.changeEach", () -> admin.changeEach(BulkChange.Action.CANCEL, List.of(Long.MAX_VALUE)));
        beside("admin.runRetriesNow", () -> admin.runRetriesNow("idle"));
        beside("admin.pause", () -> admin.pause("held"));
        beside("admin.resume", () -> admin.resume("held"));
        long closed = jobs.workflows().add(Workflow.of("closed").open().job("a", NewJob.of(WORK, next())));
        beside("admin.closeWorkflow", () -> admin.closeWorkflow(closed));
        beside("admin.setLimit", () -> admin.setLimit("held", 3));
        beside("admin.removeLimit", () -> admin.removeLimit("held"));
    }

    private void schedules() {
        NewJob<Integer> job = NewJob.of(WORK, 1);
        beside("schedule", () -> jobs.schedule(Schedule.every("often", Duration.ofDays(1)), job));
        beside("schedules.put", () -> jobs.schedules().put(Schedule.every("other", Duration.ofDays(1)), job));
        beside("schedules.all", () -> jobs.schedules().all());
        beside("schedules.find", () -> jobs.schedules().find("often"));
        beside("schedules.pause", () -> jobs.schedules().pause("often"));
        beside("schedules.resume", () -> jobs.schedules().resume("often"));
        beside("schedules.runNow", () -> jobs.schedules().runNow("often"));
        if (bridged)
            given("schedules.runNow(connection)", connection -> jobs.schedules().runNow(connection, "often"));
        beside("schedules.jobs", () -> jobs.schedules().jobs("often", 10));
        beside("schedules.addHolidays", () -> jobs.schedules().addHolidays("c", List.of(LocalDate.of(2030, 1, 1))));
        beside("schedules.removeCalendar", () -> jobs.schedules().removeCalendar("c"));
        beside("schedules.remove", () -> jobs.schedules().remove("other"));
    }

    private void ofProcesses() {
        joins("processes.init", () -> processes.init("n", "p" + next(), null));
        given(
                "processes.init(connection, request)",
                connection -> processes.init(connection, Request.of("n", "p" + next())));
        beside("processes.call", () -> processes.call("n", known, "a"));
        beside(
                "processes.call with a key",
                () -> processes.call(Request.of("n", known).key("k" + next())));
        beside("processes.notify", () -> processes.notify("n", known, "a"));
        beside("processes.get", () -> processes.get("n", known));
        beside("processes.list", () -> processes.list(ProcessQuery.of("n")));
        beside("processes.page", () -> processes.page(ProcessQuery.of("n")));
        beside("processes.trace", () -> processes.trace("n", known));
        beside("processes.timers", () -> processes.timers("n", 10));
        beside("processes.notices", () -> processes.notices().backlog("n"));
        beside("processes.health", processes::health);
        beside("processes.importProcess", () -> {
            String id = "i" + next();
            processes.importProcess(ProcessImport.of("n", id, List.<NewEvent>of()));
            processes.remove("n", id);
        });
    }

    private void ofSweeps(Sweeps sweeps) {
        beside("sweeps.list", sweeps::list);
        beside("sweeps.find", () -> sweeps.find("none"));
    }

    private void ofTasks(TaskTable tasks) {
        given("tasks.add(connection, task)", connection -> tasks.add(connection, NewTask.of("SELECT 1")));
        beside("tasks.add", () -> tasks.add("SELECT 1"));
        beside("tasks.list", () -> tasks.list(TaskQuery.all().limit(10)).tasks());
        beside("tasks.count", () -> tasks.count(TaskQuery.all()));
        beside("tasks.find", () -> tasks.find(1));
        beside("tasks.counts", tasks::counts);
        beside("tasks.cancelAll", () -> tasks.cancelAll(TaskQuery.in(TaskState.PLAN)));
    }
}
