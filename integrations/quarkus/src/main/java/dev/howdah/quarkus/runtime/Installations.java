package dev.howdah.quarkus.runtime;

import dev.howdah.beans.internal.handler.BeanMethod;
import dev.howdah.beans.internal.handler.BeanMethods;
import dev.howdah.beans.internal.handler.RefusedStart;
import dev.howdah.beans.internal.node.Installation;
import dev.howdah.beans.internal.node.InstallationSettings;
import dev.howdah.job.Kind;
import io.agroal.api.AgroalDataSource;
import io.quarkus.agroal.runtime.AgroalDataSourceUtil;
import io.quarkus.datasource.common.runtime.DataSourceUtil;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.invoke.Invoker;
import jakarta.inject.Singleton;
import jakarta.interceptor.Interceptor;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** Howdah in each data source of the application. Safe for use by many threads. */
@Singleton
public class Installations {
    private static final int LAST = Integer.MAX_VALUE;

    private final HowdahConfig config;
    private final TransactionSynchronizationRegistry registry;
    private final Map<String, Installation> all = new TreeMap<>();
    private volatile Setup setup = new Setup(List.of(), false, List.of());

    /**
     * What was found when the application was built.
     *
     * @param dataSources names of those of PostgreSQL
     * @param migrated whether the application has a tool that changes its schema
     * @param methods that handle jobs
     */
    record Setup(List<String> dataSources, boolean migrated, List<MethodReference> methods) {}

    Installations(HowdahConfig config, TransactionSynchronizationRegistry registry) {
        this.config = config;
        this.registry = registry;
    }

    void set(Setup found) {
        setup = found;
    }

    /** Behind the observers of the application, which may prepare what handlers need. */
    void start(@Observes @Priority(LAST) StartupEvent event) {
        List<BeanMethod> methods = methods();
        for (String each : setup.dataSources())
            if (AgroalDataSourceUtil.dataSourceIfActive(each).isPresent()) {
                Installation one = of(each);
                one.jobs(); // the tables, and errors now rather than at the first request
                one.start(one.handlers(methods));
            }
    }

    /** Before the observers of the application, which may close what handlers need. */
    void stop(@Observes @Priority(Interceptor.Priority.PLATFORM_BEFORE) ShutdownEvent event) {
        used().values().forEach(Installation::stop);
    }

    /** Behind the observers of the application, which may add jobs. */
    void close(@Observes @Priority(LAST) ShutdownEvent event) {
        used().values().forEach(Installation::close);
    }

    /** The one of that data source. */
    public Installation of(String dataSource) {
        synchronized (all) {
            return all.computeIfAbsent(dataSource, this::make);
        }
    }

    /** Of the data sources that the application uses. */
    Map<String, Installation> used() {
        synchronized (all) {
            return Map.copyOf(all);
        }
    }

    /** The methods that handle jobs of that data source, for tests without a node. */
    public List<BeanMethod> methods(String dataSource) {
        return of(dataSource).handlers(methods());
    }

    private List<BeanMethod> methods() {
        List<Kind<?>> declared = new ArrayList<>();
        for (Kind<?> each : ArcBeans.ALL.all(Kind.class)) declared.add(each);
        BeanMethods methods = new BeanMethods(ConfigTexts.RUN_TIME, declared);
        for (MethodReference each : setup.methods()) {
            Invoker<?, ?> invoker = each.getInvoker().getValue();
            try {
                methods.read(
                        each.getDeclaring()
                                .getDeclaredMethod(
                                        each.getName(), each.getParameters().toArray(Class[]::new)),
                        values -> invoker.invoke(null, values));
            } catch (NoSuchMethodException e) {
                throw new IllegalStateException(e);
            }
        }
        for (BeanMethod each : methods.all())
            if (!each.dataSource().isEmpty() && !setup.dataSources().contains(each.dataSource()))
                throw new RefusedStart(
                        each.place() + " handles jobs of the data source " + each.dataSource()
                                + ", and the application has none of that name in PostgreSQL.",
                        "It has " + setup.dataSources() + ".");
        return methods.all();
    }

    private Installation make(String dataSource) {
        AgroalDataSource pool =
                AgroalDataSourceUtil.dataSourceInstance(dataSource).get();
        boolean first = DataSourceUtil.isDefault(dataSource);
        HowdahConfig.Of its = Objects.requireNonNull(config.dataSources().get(dataSource), "no settings");
        String prefix = "quarkus.howdah" + (first ? "" : ".\"" + dataSource + "\"");
        return new Installation(
                first ? "" : dataSource,
                settings(prefix, its),
                pool,
                AgroalSessions.of(prefix, its.sessions(), pool),
                new JtaTransactions(pool, registry),
                ArcBeans.ALL);
    }

    private InstallationSettings settings(String prefix, HowdahConfig.Of its) {
        HowdahConfig.JobSettings jobs = its.jobs();
        return new InstallationSettings(
                prefix,
                its.schema(),
                its.nodeName().orElse(null),
                its.shutdownTimeout(),
                switch (its.install()) {
                    case START -> null;
                    case NEVER -> prefix + ".install=never.";
                    case AUTO -> setup.migrated() ? InstallationSettings.BY_TOOL : null;
                },
                jobs.enabled(),
                its.processes().enabled(),
                jobs.concurrency(),
                jobs.queues().orElse(List.of()),
                jobs.attempts(),
                jobs.timeout(),
                jobs.virtualThreads(),
                jobs.keepDone(),
                jobs.keepFailed(),
                its.health().maxLag().orElse(null),
                its.health().maxLost().orElse(null),
                its.tasks().schema(),
                its.tasks().table());
    }
}
