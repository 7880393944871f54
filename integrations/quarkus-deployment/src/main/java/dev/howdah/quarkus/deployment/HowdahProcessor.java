package dev.howdah.quarkus.deployment;

import dev.howdah.beans.JobHandler;
import dev.howdah.beans.JobSchedule;
import dev.howdah.beans.JobsCustomizer;
import dev.howdah.beans.ProcessesCustomizer;
import dev.howdah.job.Handler;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.process.Namespace;
import dev.howdah.process.Processes;
import dev.howdah.quarkus.runtime.HowdahBuildConfig;
import dev.howdah.quarkus.runtime.HowdahRecorder;
import dev.howdah.quarkus.runtime.Installations;
import dev.howdah.quarkus.runtime.MethodReference;
import dev.howdah.spi.Metrics;
import dev.howdah.spi.PayloadCodec;
import dev.howdah.spi.RetryPolicy;
import dev.howdah.sweep.Sweeps;
import dev.howdah.task.TaskTable;
import io.quarkus.agroal.DataSource;
import io.quarkus.agroal.spi.JdbcDataSourceBuildItem;
import io.quarkus.arc.BeanDestroyer;
import io.quarkus.arc.SyntheticCreationalContext;
import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.arc.deployment.AutoAddScopeBuildItem;
import io.quarkus.arc.deployment.BeanContainerBuildItem;
import io.quarkus.arc.deployment.SyntheticBeanBuildItem;
import io.quarkus.arc.deployment.UnremovableBeanBuildItem;
import io.quarkus.arc.processor.BuiltinScope;
import io.quarkus.bootstrap.classloading.QuarkusClassLoader;
import io.quarkus.deployment.Capabilities;
import io.quarkus.deployment.Capability;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.annotations.ExecutionTime;
import io.quarkus.deployment.annotations.Record;
import io.quarkus.deployment.builditem.FeatureBuildItem;
import io.quarkus.deployment.builditem.LaunchModeBuildItem;
import io.quarkus.deployment.metrics.MetricsCapabilityBuildItem;
import io.quarkus.deployment.recording.RecorderContext;
import io.quarkus.runtime.LaunchMode;
import io.quarkus.runtime.RuntimeValue;
import io.quarkus.runtime.metrics.MetricsFactory;
import io.quarkus.smallrye.health.deployment.spi.HealthBuildItem;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jboss.jandex.DotName;

/** Beans of each data source, and methods of beans that handle jobs. */
class HowdahProcessor {
    private static final String FEATURE = "howdah";
    static final String POSTGRES = "postgresql";

    private static final String TEST_JOBS = "dev.howdah.testkit.TestJobs";

    static final DotName JOB_HANDLER = DotName.createSimple(JobHandler.class);
    static final DotName JOB_SCHEDULE = DotName.createSimple(JobSchedule.class);
    static final DotName JOB_SCHEDULES = DotName.createSimple(JobSchedule.All.class);

    @BuildStep
    FeatureBuildItem feature() {
        return new FeatureBuildItem(FEATURE);
    }

    @BuildStep
    AdditionalBeanBuildItem installations() {
        return AdditionalBeanBuildItem.unremovableOf(Installations.class);
    }

    /** A class with a handler is a bean, and is one although no other bean names it. */
    @BuildStep
    AutoAddScopeBuildItem scopes() {
        return AutoAddScopeBuildItem.builder()
                .containsAnnotations(JOB_HANDLER, JOB_SCHEDULE, JOB_SCHEDULES)
                .defaultScope(BuiltinScope.SINGLETON)
                .build();
    }

    @BuildStep
    void kept(BuildProducer<UnremovableBeanBuildItem> kept) {
        kept.produce(new UnremovableBeanBuildItem(bean -> bean.getTarget().isPresent()
                && FoundMethodBuildItem.isIn(bean.getTarget().get())));
        kept.produce(UnremovableBeanBuildItem.beanTypes(
                Handler.Interceptor.class,
                JobsCustomizer.class,
                Kind.class,
                Metrics.class,
                Namespace.class,
                NewJob.Interceptor.class,
                PayloadCodec.class,
                ProcessesCustomizer.class,
                RetryPolicy.class));
    }

    @BuildStep
    void health(Capabilities capabilities, HowdahBuildConfig config, BuildProducer<HealthBuildItem> checks) {
        if (!capabilities.isPresent(Capability.SMALLRYE_HEALTH)) return;
        for (String each : List.of("HowdahReadiness", "HowdahLiveness"))
            checks.produce(new HealthBuildItem(
                    "dev.howdah.quarkus.runtime." + each, config.health().enabled()));
    }

    @BuildStep
    void traces(Capabilities capabilities, BuildProducer<AdditionalBeanBuildItem> beans) {
        if (capabilities.isPresent(Capability.OPENTELEMETRY_TRACER))
            beans.produce(AdditionalBeanBuildItem.unremovableOf("dev.howdah.quarkus.runtime.NamedTelemetry"));
    }

    @BuildStep
    void metrics(
            Optional<MetricsCapabilityBuildItem> metrics,
            HowdahBuildConfig config,
            BuildProducer<AdditionalBeanBuildItem> beans) {
        if (config.metrics().enabled()
                && metrics.isPresent()
                && metrics.get().metricsSupported(MetricsFactory.MICROMETER))
            beans.produce(AdditionalBeanBuildItem.unremovableOf("dev.howdah.quarkus.runtime.MeterProducer"));
    }

    @BuildStep
    @Record(ExecutionTime.RUNTIME_INIT)
    void beans(
            HowdahRecorder recorder,
            List<JdbcDataSourceBuildItem> dataSources,
            BuildProducer<SyntheticBeanBuildItem> beans) {
        for (JdbcDataSourceBuildItem each : dataSources) {
            if (!each.getDbKind().equals(POSTGRES)) continue;
            beans.produce(bean(Jobs.class, each, recorder.jobs(each.getName())));
            beans.produce(bean(Processes.class, each, recorder.processes(each.getName())));
            beans.produce(bean(Sweeps.class, each, recorder.sweeps(each.getName())));
            beans.produce(bean(TaskTable.class, each, recorder.taskTable(each.getName())));
        }
    }

    private static <T> SyntheticBeanBuildItem bean(
            Class<T> type, JdbcDataSourceBuildItem of, Function<SyntheticCreationalContext<T>, T> create) {
        return configured(SyntheticBeanBuildItem.configure(type), of)
                .createWith(create)
                .done();
    }

    private static SyntheticBeanBuildItem.ExtendedBeanConfigurator configured(
            SyntheticBeanBuildItem.ExtendedBeanConfigurator bean, JdbcDataSourceBuildItem of) {
        bean.scope(Singleton.class).defaultBean().unremovable().setRuntimeInit();
        if (!of.isDefault())
            bean.addQualifier()
                    .annotation(DataSource.class)
                    .addValue("value", of.getName())
                    .done();
        return bean;
    }

    /** Of each data source, where the test kit is among the dependencies of the tests. */
    @BuildStep
    @Record(ExecutionTime.RUNTIME_INIT)
    void testBeans(
            HowdahRecorder recorder,
            LaunchModeBuildItem mode,
            List<JdbcDataSourceBuildItem> dataSources,
            BuildProducer<SyntheticBeanBuildItem> beans) {
        if (mode.getLaunchMode() != LaunchMode.TEST || !QuarkusClassLoader.isClassPresentAtRuntime(TEST_JOBS)) return;
        DotName testJobs = DotName.createSimple(TEST_JOBS);
        for (JdbcDataSourceBuildItem each : dataSources)
            if (each.getDbKind().equals(POSTGRES))
                beans.produce(
                        configured(SyntheticBeanBuildItem.configure(testJobs).addType(testJobs), each)
                                .createWith(recorder.testJobs(each.getName()))
                                .destroyer(BeanDestroyer.AutoCloseableDestroyer.class)
                                .done());
    }

    @BuildStep
    @Record(ExecutionTime.RUNTIME_INIT)
    void methods(
            HowdahRecorder recorder,
            RecorderContext context,
            BeanContainerBuildItem container,
            List<JdbcDataSourceBuildItem> dataSources,
            List<FoundMethodBuildItem> found,
            Capabilities capabilities) {
        List<MethodReference> methods = new ArrayList<>();
        for (FoundMethodBuildItem each : found) {
            MethodReference reference = new MethodReference();
            reference.setDeclaring(each.method().getDeclaringClass());
            reference.setName(each.method().getName());
            reference.setParameters(List.of(each.method().getParameterTypes()));
            RuntimeValue<jakarta.enterprise.invoke.Invoker<?, ?>> invoker = context.newInstance(each.invoker());
            reference.setInvoker(invoker);
            methods.add(reference);
        }
        recorder.set(
                dataSources.stream()
                        .filter(each -> each.getDbKind().equals(POSTGRES))
                        .map(JdbcDataSourceBuildItem::getName)
                        .toList(),
                capabilities.isPresent(Capability.FLYWAY) || capabilities.isPresent(Capability.LIQUIBASE),
                methods);
    }
}
