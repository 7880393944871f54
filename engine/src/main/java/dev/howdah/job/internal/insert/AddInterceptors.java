package dev.howdah.job.internal.insert;

import dev.howdah.job.NewJob;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The interceptors of jobs that are added. Safe for use by many threads, if the interceptors are. */
public record AddInterceptors(List<NewJob.Interceptor> all) {
    public AddInterceptors {
        all = List.copyOf(all);
    }

    /** @param connection of the caller's transaction; null: there is none */
    NewJob<?> apply(NewJob<?> job, @Nullable Connection connection) {
        NewJob<?> last = job;
        for (NewJob.Interceptor each : all) last = checked(each.adding(last, connection), job);
        return last;
    }

    @SuppressWarnings("ConstantValue") // programs are not held to promise that they never say null
    private static NewJob<?> checked(NewJob<?> job, NewJob<?> given) {
        if (job == null)
            throw new IllegalStateException("an interceptor has returned null for a job "
                    + given.kind().name() + ": it has to return a job, or throw an exception");
        return job;
    }

    List<? extends NewJob<?>> apply(List<? extends NewJob<?>> jobs, @Nullable Connection connection) {
        if (all.isEmpty()) return jobs;
        List<NewJob<?>> changed = new ArrayList<>(jobs.size());
        for (NewJob<?> each : jobs) changed.add(apply(each, connection));
        return changed;
    }
}
