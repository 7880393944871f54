package dev.howdah.beans.internal.handler;

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
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A method of a bean that handles a kind. {@link BeanMethods} reads it.
 *
 * @param place the method, for messages
 * @param payload the type of the payload
 * @param transactional whether it runs in the job's own transaction
 * @param retries what its annotation says of them
 * @param options what else its annotation says
 * @param limit over all nodes; 0: none is set
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
        boolean transactional,
        HandlerRetries retries,
        Consumer<HandlerOptions> options,
        int limit,
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
     * @param bounded the application's policy with that maximum number of attempts
     * @param usual that of handlers that set none
     */
    public void register(JobsBuilder builder, IntFunction<RetryPolicy> bounded, int usual) {
        RetryPolicy own = retries.policy(kind.retriesOrNull(), bounded, usual);
        register(builder, kind, own == null ? options : options.andThen(its -> its.retries(own)));
    }

    private <T> void register(JobsBuilder builder, Kind<T> its, Consumer<HandlerOptions> with) {
        if (transactional) builder.handleInTransactionWithOutcome(its, this::call, with);
        else builder.handleWithOutcome(its, (given, job) -> call(given, job, null), with);
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
        if (limit > 0) jobs.admin().setLimit(queue(), kind.name(), limit);
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
