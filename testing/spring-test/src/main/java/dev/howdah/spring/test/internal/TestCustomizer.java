package dev.howdah.spring.test.internal;

import dev.howdah.beans.internal.handler.BeanMethod;
import dev.howdah.beans.internal.node.Installation;
import dev.howdah.spring.HowdahInstallation;
import dev.howdah.spring.internal.handler.HandlerMethods;
import dev.howdah.spring.internal.node.SpringInstallations;
import dev.howdah.testkit.TestJobs;
import dev.howdah.testkit.TestProcesses;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.util.ClassUtils;

/**
 * Runs no node in an application, and gives it the objects with which a test does. Tests with equal ones share an application.
 *
 * @param ownDatabase whether it gets a database of its own
 */
record TestCustomizer(boolean ownDatabase) implements ContextCustomizer {
    @Override
    public void customizeContext(ConfigurableApplicationContext application, MergedContextConfiguration merged) {
        application
                .getEnvironment()
                .getPropertySources()
                .addFirst(new MapPropertySource(
                        "howdah test", Map.of("howdah.jobs.enabled", "false", "howdah.processes.enabled", "false")));
        BeanDefinitionRegistry beans = (BeanDefinitionRegistry) application.getBeanFactory();
        if (ownDatabase) {
            application.getEnvironment().getPropertySources().addFirst(new DatabaseProperties());
            register(
                    beans,
                    "dataSource",
                    DataSource.class,
                    hasMigrations(application.getClassLoader())
                            ? TestServers::newEmptyDatabase
                            : () -> TestServers.newDatabase().dataSource(),
                    false);
        }
        ListableBeanFactory made = application.getBeanFactory();
        register(beans, "howdahTestJobs", TestJobs.class, () -> jobs(made, ""), true);
        beans.getBeanDefinition("howdahTestJobs").setPrimary(true);
        // Behind the configuration classes, which have the installations.
        application.addBeanFactoryPostProcessor(all -> {
            for (String each : all.getBeanNamesForType(HowdahInstallation.class, true, false))
                register(beans, each + "TestJobs", TestJobs.class, () -> jobs(made, each), true);
        });
        register(beans, "howdahTestProcesses", TestProcesses.class, () -> processes(made), true);
    }

    /** Then the tables may be made by the application's own migrations, which would find them there; or else the application makes them. */
    private static boolean hasMigrations(@Nullable ClassLoader loader) {
        return ClassUtils.isPresent("org.flywaydb.core.Flyway", loader)
                || ClassUtils.isPresent("liquibase.integration.spring.SpringLiquibase", loader);
    }

    private static TestJobs jobs(ListableBeanFactory beans, String name) {
        Installation installation = beans.getBean(SpringInstallations.class).of(name);
        List<BeanMethod> handlers =
                installation.handlers(beans.getBean(HandlerMethods.class).find());
        TestJobs jobs = TestJobs.of(installation.pool(), installation.jobsBuilder(handlers));
        handlers.forEach(each -> each.store(jobs.jobs()));
        return jobs;
    }

    private static TestProcesses processes(ListableBeanFactory beans) {
        Installation installation = beans.getBean(SpringInstallations.class).first();
        return TestProcesses.of(installation.pool(), installation.processesBuilder());
    }

    /** @param lazy made when it is used, after all beans with handlers */
    private static <T> void register(
            BeanDefinitionRegistry beans, String name, Class<T> type, Supplier<T> made, boolean lazy) {
        beans.registerBeanDefinition(
                name,
                BeanDefinitionBuilder.genericBeanDefinition(type, made)
                        .setLazyInit(lazy)
                        .getBeanDefinition());
    }
}
