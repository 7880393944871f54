package dev.howdah.spring.internal.handler;

import dev.howdah.job.HandlerOptions;
import dev.howdah.job.Job;
import dev.howdah.job.Jobs;
import dev.howdah.job.JobsBuilder;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.Outcome;
import dev.howdah.job.Schedule;
import dev.howdah.spi.RetryPolicy;
import dev.howdah.spi.TypeReference;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A method of a bean that handles a kind.
 *
 * @param place the method, for messages
 * @param installation the name of the bean; empty: that of the application's data source
 * @param bean asked for at each call
 * @param method can be called on the bean
 * @param kind with its queue
 * @param parameters what each parameter gets
 * @param retries what its annotation says of them
 * @param timeout null: the default
 * @param limit over all nodes; 0: none is set
 * @param schedules those that add its jobs
 * @param removed names of schedules that are switched off
 */
public record HandlerMethod(
        String place,
        String installation,
        Supplier<Object> bean,
        Method method,
        Kind<?> kind,
        String queue,
        List<Parameter> parameters,
        boolean transactional,
        HandlerRetries retries,
        @Nullable Duration timeout,
        int limit,
        List<Schedule> schedules,
        List<String> removed) {
    /** What a parameter gets. */
    public enum Parameter {
        PAYLOAD,
        JOB,
        CONNECTION
    }

    /**
     * Registers it.
     *
     * @param bounded the application's policy with that maximum number of attempts
     * @param usual that of handlers that set none
     */
    public void register(JobsBuilder builder, IntFunction<RetryPolicy> bounded, int usual) {
        RetryPolicy own = retries.policy(kind.retriesOrNull(), bounded, usual);
        register(builder, kind, options -> set(options, own));
    }

    private <T> void register(JobsBuilder builder, Kind<T> its, Consumer<HandlerOptions> options) {
        if (transactional) builder.handleInTransactionWithOutcome(its, this::call, options);
        else builder.handleWithOutcome(its, (payload, job) -> call(payload, job, null), options);
    }

    private void set(HandlerOptions options, @Nullable RetryPolicy own) {
        if (own != null) options.retries(own);
        if (timeout != null) options.timeout(timeout);
    }

    private Outcome call(@Nullable Object payload, Job job, @Nullable Connection connection) throws Exception {
        @Nullable Object[] values = new @Nullable Object[parameters.size()];
        for (int i = 0; i < values.length; i++)
            values[i] = switch (parameters.get(i)) {
                case PAYLOAD -> payload;
                case JOB -> job;
                case CONNECTION -> connection;
            };
        Object returned;
        try {
            returned = method.invoke(bean.get(), values);
        } catch (InvocationTargetException e) {
            Throwable thrown = e.getCause();
            if (thrown instanceof Exception exception) throw exception;
            if (thrown instanceof Error error) throw error;
            throw e;
        }
        if (returned instanceof Outcome outcome) return outcome;
        if (returned instanceof Optional<?> optional) returned = optional.orElse(null);
        if (returned != null) job.result(returned);
        return Outcome.done();
    }

    /** Writes its limit and its schedules to the database. */
    public void store(Jobs jobs) {
        if (limit > 0) jobs.admin().setLimit(queue, kind.name(), limit);
        for (Schedule each : schedules) jobs.schedule(each, withoutPayload(kind));
        removed.forEach(jobs.schedules()::remove);
    }

    @SuppressWarnings("unchecked") // schedules are of handlers without a payload
    static NewJob<Void> withoutPayload(Kind<?> kind) {
        return NewJob.of((Kind<Void>) kind);
    }

    /** The kind of that name and type. */
    static Kind<?> kind(String name, java.lang.reflect.Type type) {
        return type instanceof Class<?> plain ? Kind.of(name, plain) : Kind.of(name, TypeReference.of(type));
    }
}
