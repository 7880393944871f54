package dev.howdah.spring.internal.node;

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
import dev.howdah.spring.HowdahProperties;
import dev.howdah.spring.JobsCustomizer;
import dev.howdah.spring.ProcessesCustomizer;
import dev.howdah.spring.internal.handler.HandlerMethods;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.env.Environment;

/** The builders of what adds jobs and of what runs them, from properties and beans. Safe for use by many threads. */
public final class NodeBuilders {
    private static final Duration FIRST_DELAY = Duration.ofSeconds(1);
    private static final Duration LONGEST_DELAY = Duration.ofHours(1);

    private final ListableBeanFactory beans;
    private final HowdahProperties properties;
    private final ChosenDataSource sources;
    private final TransactionBridge transactions;
    private final HandlerMethods methods;
    private final boolean virtualThreads;
    private final String installation;
    private final String schema;

    /**
     * @param installation the name of its bean; empty: that of the application's data source
     * @param schema of its tables
     */
    public NodeBuilders(
            ListableBeanFactory beans,
            HowdahProperties properties,
            ChosenDataSource sources,
            TransactionBridge transactions,
            HandlerMethods methods,
            Environment environment,
            String installation,
            String schema) {
        this.installation = installation;
        this.schema = schema;
        this.beans = beans;
        this.properties = properties;
        this.sources = sources;
        this.transactions = transactions;
        this.methods = methods;
        this.virtualThreads = Objects.requireNonNullElseGet(
                properties.jobs().virtualThreads(),
                () -> environment.getProperty("spring.threads.virtual.enabled", Boolean.class, false)
                        && Runtime.version().feature() >= 21);
    }

    /** What adds jobs and asks for them. */
    public JobsBuilder adding() {
        JobsBuilder builder = Jobs.on(sources.pool());
        named("howdah.schema", () -> builder.schema(schema));
        if (sources.sessions() != sources.pool()) builder.sessionDataSource(sources.sessions());
        builder.transactions(transactions);
        named("howdah.shutdown-timeout", () -> builder.shutdownTimeout(properties.shutdownTimeout()));
        String name = properties.nodeName();
        if (name != null) named("howdah.node-name", () -> builder.nodeName(name));
        PayloadCodec codec = ApplicationCodec.of(beans, properties.json());
        if (codec != null) builder.codec(codec);
        beans.getBeanProvider(Metrics.class).ifUnique(builder::metrics);
        each(NewJob.Interceptor.class, builder::interceptAdding);
        return builder;
    }

    /** What runs jobs, with those handlers and those of customizers. */
    public JobsBuilder node(List<BeanMethod> handlers) {
        HowdahProperties.JobSettings settings = properties.jobs();
        JobsBuilder builder = adding();
        named("howdah.jobs.concurrency", () -> builder.concurrency(settings.concurrency()));
        named("howdah.jobs.queues", () -> builder.queues(settings.queues().toArray(String[]::new)));
        named("howdah.jobs.timeout", () -> builder.defaultTimeout(settings.timeout()));
        named("howdah.jobs.attempts", () -> builder.defaultRetries(retries().apply(settings.attempts())));
        named(
                "howdah.jobs.keep-done or howdah.jobs.keep-failed",
                () -> builder.retention(settings.keepDone(), settings.keepFailed()));
        if (virtualThreads) virtualThreads(builder);
        each(Handler.Interceptor.class, builder::intercept);
        if (installation.isEmpty()) each(JobsCustomizer.class, customizer -> customizer.customize(builder));
        for (BeanMethod each : handlers) {
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

    /** A policy with so many attempts: that of the application's bean, or the standard one. */
    private IntFunction<RetryPolicy> retries() {
        RetryPolicy own = beans.getBeanProvider(RetryPolicy.class).getIfUnique();
        if (own == null) return attempts -> RetryPolicy.exponential(FIRST_DELAY, LONGEST_DELAY, attempts);
        return attempts ->
                (attempt, failure) -> attempt >= attempts ? java.util.Optional.empty() : own.delay(attempt, failure);
    }

    private static void virtualThreads(JobsBuilder builder) {
        try {
            builder.virtualThreads();
        } catch (UnsupportedOperationException e) {
            throw new RefusedStart(
                    "howdah.jobs.virtual-threads=true needs Java 21 or newer.",
                    "Remove it, or run the application on a newer Java.",
                    e);
        }
    }

    /** The methods of beans that handle its jobs. */
    public List<BeanMethod> handlers() {
        return methods.find().stream()
                .filter(each -> each.dataSource().equals(installation))
                .toList();
    }

    /** Returns whether a customizer may register more. */
    public boolean hasJobsCustomizer() {
        return installation.isEmpty() && beans.getBeanNamesForType(JobsCustomizer.class).length > 0;
    }

    /** What calls processes that nodes run. */
    public ProcessesBuilder calling() {
        ProcessesBuilder builder = Processes.on(sources.pool());
        builder.transactions(transactions);
        named("howdah.schema", () -> builder.schema(schema));
        if (sources.sessions() != sources.pool()) builder.sessionDataSource(sources.sessions());
        named("howdah.shutdown-timeout", () -> builder.shutdownTimeout(properties.shutdownTimeout()));
        String name = properties.nodeName();
        if (name != null) named("howdah.node-name", () -> builder.nodeName(name));
        PayloadCodec codec = ApplicationCodec.of(beans, properties.json());
        if (codec != null) builder.codec(codec);
        beans.getBeanProvider(Metrics.class).ifUnique(builder::metrics);
        return builder;
    }

    /** What runs processes of the namespaces that are beans, and those of customizers. */
    public ProcessesBuilder processNode() {
        ProcessesBuilder builder = calling();
        if (virtualThreads) builder.virtualThreads();
        each(Namespace.class, builder::namespace);
        each(ProcessesCustomizer.class, customizer -> customizer.customize(builder));
        return builder;
    }

    /** Returns whether there are processes to run. */
    public boolean hasNamespaces() {
        return beans.getBeanNamesForType(Namespace.class).length > 0
                || beans.getBeanNamesForType(ProcessesCustomizer.class).length > 0;
    }

    private <T> void each(Class<T> type, Consumer<? super T> use) {
        beans.getBeanProvider(type).orderedStream().forEach(use);
    }

    /** What is refused is refused by the name of its property. */
    private static void named(String property, Runnable set) {
        try {
            set.run();
        } catch (IllegalArgumentException e) {
            throw new RefusedStart(
                    "The property " + property + " is refused: " + e.getMessage() + ".", "Correct its value.", e);
        }
    }
}
