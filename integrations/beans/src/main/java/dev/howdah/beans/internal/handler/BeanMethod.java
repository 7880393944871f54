package dev.howdah.beans.internal.handler;

import dev.howdah.beans.JobHandler;
import dev.howdah.job.HandlerOptions;
import dev.howdah.job.Job;
import dev.howdah.job.Jobs;
import dev.howdah.job.JobsBuilder;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.Outcome;
import dev.howdah.job.Schedule;
import dev.howdah.spi.RetryPolicy;
import java.lang.reflect.Type;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A method of a bean that handles a kind. {@link BeanMethods} reads it.
 *
 * @param place the method, for messages
 * @param payload the type of the payload
 * @param marked its annotation, placeholders unresolved
 * @param timeout null: the default
 * @param schedules those that add its jobs
 * @param removed names of schedules that are switched off
 */
public record BeanMethod(
        String place,
        Call method,
        Kind<?> kind,
        String dataSource,
        Type payload,
        List<HandlerSignature.Role> roles,
        JobHandler marked,
        @Nullable Duration timeout,
        List<Schedule> schedules,
        List<String> removed) {
    /** Calls a method of a bean, which is looked up for each call. */
    @FunctionalInterface
    public interface Call {
        /**
         * @param values of its parameters
         * @return what it returns
         * @throws Exception what it throws
         */
        @Nullable
        Object call(@Nullable Object[] values) throws Exception;
    }

    /**
     * Registers it.
     *
     * @param bounded a retry policy with that maximum number of attempts
     */
    public void register(JobsBuilder builder, IntFunction<RetryPolicy> bounded) {
        register(builder, kind, bounded);
    }

    private <T> void register(JobsBuilder builder, Kind<T> its, IntFunction<RetryPolicy> bounded) {
        if (marked.transactional())
            builder.handleInTransactionWithOutcome(its, this::call, options -> set(options, bounded));
        else builder.handleWithOutcome(its, (given, job) -> call(given, job, null), options -> set(options, bounded));
    }

    private void set(HandlerOptions options, IntFunction<RetryPolicy> bounded) {
        if (marked.attempts() > 0) options.retries(bounded.apply(marked.attempts()));
        if (timeout != null) options.timeout(timeout);
    }

    private Outcome call(@Nullable Object given, Job job, @Nullable Connection connection) throws Exception {
        @Nullable Object[] values = new @Nullable Object[roles.size()];
        for (int i = 0; i < values.length; i++)
            values[i] = switch (roles.get(i)) {
                case PAYLOAD -> given;
                case JOB -> job;
                case CONNECTION -> connection;
            };
        Object returned = method.call(values);
        if (returned instanceof Outcome outcome) return outcome;
        if (returned instanceof Optional<?> optional) returned = optional.orElse(null);
        if (returned != null) job.result(returned);
        return Outcome.done();
    }

    /** Writes its limit and its schedules to the database. */
    public void store(Jobs jobs) {
        NewJob<Void> job = withoutPayload();
        if (marked.limit() > 0) jobs.admin().setLimit(queue(), kind.name(), marked.limit());
        for (Schedule each : schedules) jobs.schedule(each, job);
        removed.forEach(jobs.schedules()::remove);
    }

    /** The queue from which its jobs are claimed. */
    public String queue() {
        return withoutPayload().queue();
    }

    @SuppressWarnings("unchecked") // schedules are of handlers without a payload
    private NewJob<Void> withoutPayload() {
        return NewJob.of((Kind<Void>) kind);
    }
}
