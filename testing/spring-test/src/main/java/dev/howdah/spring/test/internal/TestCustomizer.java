package dev.howdah.spring.test.internal;

import dev.howdah.beans.internal.handler.BeanMethod;
import dev.howdah.spring.internal.node.ChosenDataSource;
import dev.howdah.spring.internal.node.NodeBuilders;
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
        if (ownDatabase)
            register(
                    beans,
                    "dataSource",
                    DataSource.class,
                    hasMigrations(application.getClassLoader())
                            ? TestServers::newEmptyDatabase
                            : TestServers::newDatabase,
                    false);
        ListableBeanFactory made = application.getBeanFactory();
        register(beans, "howdahTestJobs", TestJobs.class, () -> jobs(made), true);
        register(beans, "howdahTestProcesses", TestProcesses.class, () -> processes(made), true);
    }

    /** Then the tables may be made by the application's own migrations, which would find them there; or else the application makes them. */
    private static boolean hasMigrations(@Nullable ClassLoader loader) {
        return ClassUtils.isPresent("org.flywaydb.core.Flyway", loader)
                || ClassUtils.isPresent("liquibase.integration.spring.SpringLiquibase", loader);
    }

    private static TestJobs jobs(ListableBeanFactory beans) {
        NodeBuilders builders = beans.getBean(NodeBuilders.class);
        List<BeanMethod> handlers = builders.handlers();
        TestJobs jobs = TestJobs.of(beans.getBean(ChosenDataSource.class).pool(), builders.node(handlers));
        handlers.forEach(each -> each.store(jobs.jobs()));
        return jobs;
    }

    private static TestProcesses processes(ListableBeanFactory beans) {
        return TestProcesses.of(
                beans.getBean(ChosenDataSource.class).pool(),
                beans.getBean(NodeBuilders.class).processNode());
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
