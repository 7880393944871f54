package dev.howdah.testkit.internal.bridge;

import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.wait.Emission;
import dev.howdah.job.wait.NewSignal;
import dev.howdah.job.workflow.Workflow;
import dev.howdah.process.Processes;
import dev.howdah.process.Request;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

/** The calls that join a transaction; each adds a job, a signal or a process. */
public final class JoiningCalls {
    /** Nothing claims from its queue. */
    public static final Kind<Integer> WORK =
            Kind.of("bridge-work", Integer.class).queue("bridge-idle");

    /** Its processes do nothing. */
    public static final String NAMESPACE = "bridge";

    private final Map<String, Runnable> all = new LinkedHashMap<>();
    private final AtomicInteger number = new AtomicInteger();

    public JoiningCalls(Jobs jobs, Processes processes) {
        long open = jobs.workflows().add(Workflow.of("open").open().jobs(List.of(NewJob.of(WORK, next()))));
        long waiting = jobs.add(WORK, next());
        all.put("Jobs.signal(job, name, payload)", () -> jobs.signal(waiting, "s", next()));
        all.put("Jobs.signal(signal)", () -> jobs.signal(NewSignal.to(waiting, "s", next())));
        all.put("Jobs.emit(event)", () -> jobs.emit(Emission.of("s", next())));
        all.put("Jobs.add(kind, payload)", () -> jobs.add(WORK, next()));
        all.put("Jobs.add(job)", () -> jobs.add(job()));
        all.put("Jobs.add(job with a key)", () -> jobs.add(job().key(name())));
        all.put("Jobs.addAsync(job)", () -> jobs.addAsync(job()).join());
        all.put(
                "Jobs.addAsync(kind, payload)",
                () -> jobs.addAsync(WORK, next()).join());
        all.put("Jobs.addAll", () -> jobs.addAll(List.of(job())));
        all.put("Jobs.addEach", () -> jobs.addEach(List.of(job())));
        all.put("Workflows.add", () -> jobs.workflows().add(Workflow.of("w").jobs(List.of(job()))));
        all.put("Workflows.addJobs(jobs)", () -> jobs.workflows().addJobs(open, List.of(job())));
        all.put(
                "Workflows.addJobs(workflow)",
                () -> jobs.workflows().addJobs(open, Workflow.of("w").jobs(List.of(job()))));
        all.put("Processes.init(request)", () -> processes.init(Request.of(NAMESPACE, name())));
        all.put("Processes.init(namespace, id, args)", () -> processes.init(NAMESPACE, name(), null));
    }

    /** By name. */
    public Map<String, Runnable> all() {
        return all;
    }

    /** A number that no other job has. */
    public int next() {
        return number.incrementAndGet();
    }

    /** A name that nothing else has, not even in the table of another test on the same database. */
    private static String name() {
        return UUID.randomUUID().toString();
    }

    private NewJob<Integer> job() {
        return NewJob.of(WORK, next());
    }
}
