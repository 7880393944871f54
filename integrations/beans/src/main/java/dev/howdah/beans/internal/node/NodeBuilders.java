package dev.howdah.beans.internal.node;

import dev.howdah.beans.JobsCustomizer;
import dev.howdah.beans.ProcessesCustomizer;
import dev.howdah.beans.internal.handler.BeanMethod;
import dev.howdah.beans.internal.handler.RefusedStart;
import dev.howdah.job.Handler;
import dev.howdah.job.Jobs;
import dev.howdah.job.JobsBuilder;
import dev.howdah.job.NewJob;
import dev.howdah.process.Namespace;
import dev.howdah.process.Processes;
import dev.howdah.process.ProcessesBuilder;
import dev.howdah.spi.Metrics;
import dev.howdah.spi.PayloadCodec;
import dev.howdah.spi.RetryPolicy;
import dev.howdah.spi.TransactionBridge;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import javax.sql.DataSource;

/** The builders of what adds jobs and of what runs them, from settings and beans. Safe for use by many threads. */
final class NodeBuilders {
    private static final Duration FIRST_DELAY = Duration.ofSeconds(1);
    private static final Duration LONGEST_DELAY = Duration.ofHours(1);

    private final InstallationSettings settings;
    private final DataSource pool;
    private final DataSource sessions;
    private final TransactionBridge transactions;
    private final ApplicationBeans beans;

    NodeBuilders(
            InstallationSettings settings,
            DataSource pool,
            DataSource sessions,
            TransactionBridge transactions,
            ApplicationBeans beans) {
        this.settings = settings;
        this.pool = pool;
        this.sessions = sessions;
        this.transactions = transactions;
        this.beans = beans;
    }

    /** What adds jobs and asks for them. */
    JobsBuilder adding() {
        JobsBuilder builder = Jobs.on(pool);
        named("schema", () -> builder.schema(settings.schema()));
        if (sessions != pool) builder.sessionDataSource(sessions);
        builder.transactions(transactions);
        named("shutdown-timeout", () -> builder.shutdownTimeout(settings.shutdownTimeout()));
        String name = settings.nodeName();
        if (name != null) named("node-name", () -> builder.nodeName(name));
        beans.only(PayloadCodec.class).ifPresent(builder::codec);
        beans.only(Metrics.class).ifPresent(builder::metrics);
        beans.all(NewJob.Interceptor.class).forEach(builder::interceptAdding);
        return builder;
    }

    /** What runs jobs, with those handlers and those of customizers. */
    JobsBuilder running(List<BeanMethod> methods) {
        JobsBuilder builder = adding();
        named("jobs.concurrency", () -> builder.concurrency(settings.concurrency()));
        named("jobs.queues", () -> builder.queues(settings.queues().toArray(String[]::new)));
        named("jobs.timeout", () -> builder.defaultTimeout(settings.timeout()));
        named("jobs.attempts", () -> builder.defaultRetries(retries().apply(settings.attempts())));
        named(
                "jobs.keep-done or " + settings.prefix() + ".jobs.keep-failed",
                () -> builder.retention(settings.keepDone(), settings.keepFailed()));
        if (settings.virtualThreads()) virtual(builder::virtualThreads);
        beans.all(Handler.Interceptor.class).forEach(builder::intercept);
        for (JobsCustomizer each : beans.all(JobsCustomizer.class)) each.customize(builder);
        for (BeanMethod each : methods) {
            try {
                each.register(builder, retries(), settings.attempts());
            } catch (IllegalArgumentException e) {
                throw new RefusedStart(
                        each.place() + " cannot handle jobs: " + e.getMessage() + ".",
                        "Give it another kind, or remove the handler of a JobsCustomizer.",
                        e);
            }
        }
        return builder;
    }

    boolean hasJobsCustomizers() {
        return !beans.all(JobsCustomizer.class).isEmpty();
    }

    /** What calls processes that nodes run. */
    ProcessesBuilder calling() {
        ProcessesBuilder builder = Processes.on(pool);
        named("schema", () -> builder.schema(settings.schema()));
        if (sessions != pool) builder.sessionDataSource(sessions);
        builder.transactions(transactions);
        named("shutdown-timeout", () -> builder.shutdownTimeout(settings.shutdownTimeout()));
        String name = settings.nodeName();
        if (name != null) named("node-name", () -> builder.nodeName(name));
        beans.only(PayloadCodec.class).ifPresent(builder::codec);
        beans.only(Metrics.class).ifPresent(builder::metrics);
        return builder;
    }

    /** What runs processes of the namespaces that are beans, and those of customizers. */
    ProcessesBuilder runningProcesses() {
        ProcessesBuilder builder = calling();
        if (settings.virtualThreads()) virtual(builder::virtualThreads);
        beans.all(Namespace.class).forEach(builder::namespace);
        for (ProcessesCustomizer each : beans.all(ProcessesCustomizer.class)) each.customize(builder);
        return builder;
    }

    boolean hasProcesses() {
        return !beans.all(Namespace.class).isEmpty()
                || !beans.all(ProcessesCustomizer.class).isEmpty();
    }

    /** A policy with so many attempts: that of the application's bean, or the standard one. */
    private IntFunction<RetryPolicy> retries() {
        RetryPolicy own = beans.only(RetryPolicy.class).orElse(null);
        if (own == null) return attempts -> RetryPolicy.exponential(FIRST_DELAY, LONGEST_DELAY, attempts);
        return attempts -> (attempt, failure) -> attempt >= attempts ? Optional.empty() : own.delay(attempt, failure);
    }

    private void virtual(Runnable set) {
        try {
            set.run();
        } catch (UnsupportedOperationException e) {
            throw new RefusedStart(
                    settings.prefix() + ".jobs.virtual-threads=true needs Java 21 or newer.",
                    "Remove it, or run the application on a newer Java.",
                    e);
        }
    }

    /** What is refused is refused by the name of its property. */
    private void named(String property, Runnable set) {
        try {
            set.run();
        } catch (IllegalArgumentException e) {
            throw new RefusedStart(
                    "The property " + settings.prefix() + "." + property + " is refused: " + e.getMessage() + ".",
                    "Correct its value.",
                    e);
        }
    }
}
