package dev.howdah.job.internal.execute;

import dev.howdah.internal.json.CodedType;
import dev.howdah.job.internal.store.JobStatements;
import dev.howdah.job.internal.workflow.WorkflowFinder;
import dev.howdah.job.internal.workflow.WorkflowFinder.Before;
import dev.howdah.job.workflow.WorkflowJob;
import dev.howdah.job.workflow.WorkflowSummary;
import dev.howdah.spi.PayloadCodec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The predecessors of a job in its workflow: the jobs that it has waited for are read when they are first asked for. Safe for use by many threads. */
final class JobPredecessors {
    private final WorkflowFinder finder;
    private final PayloadCodec codec;
    private final long job;
    private @Nullable List<Before> read;

    JobPredecessors(JobStatements statements, PayloadCodec codec, long job) {
        this.finder = new WorkflowFinder(statements);
        this.codec = codec;
        this.job = job;
    }

    Optional<WorkflowSummary> workflow(long id) {
        return finder.find(id);
    }

    <T> @Nullable T result(String name, CodedType<T> type) {
        for (Before each : all()) if (each.name().equals(name)) return decoded(each, type);
        throw new IllegalArgumentException("job " + job + " has not waited for " + name + ", only for "
                + all().stream().map(Before::name).toList());
    }

    <T> Map<String, T> results(CodedType<T> type) {
        Map<String, T> results = new LinkedHashMap<>();
        for (Before each : all()) {
            T result = decoded(each, type);
            if (result != null) results.put(each.name(), result);
        }
        return results;
    }

    Map<String, WorkflowJob.State> states() {
        Map<String, WorkflowJob.State> states = new LinkedHashMap<>();
        for (Before each : all()) states.put(each.name(), each.state());
        return states;
    }

    private <T> @Nullable T decoded(Before before, CodedType<T> type) {
        if (before.result() == null) return null;
        return type.decode(codec, before.result(), new PayloadCodec.Subject(PayloadCodec.Use.RESULT, before.kind()));
    }

    private synchronized List<Before> all() {
        List<Before> known = read;
        if (known == null) read = known = finder.before(job);
        return known;
    }
}
