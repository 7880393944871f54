package dev.howdah.spring.internal.node;

import dev.howdah.beans.internal.node.InstallationSettings;
import dev.howdah.spring.HowdahProperties;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/** The properties of an application of Spring as the settings of all frameworks. */
final class SettingsOfSpring {
    /** Beans that change the schema of a database when they are made. Names, since not all are on the class path. */
    private static final List<String> TOOLS = List.of(
            "org.springframework.boot.autoconfigure.flyway.FlywayMigrationInitializer",
            "org.springframework.boot.flyway.autoconfigure.FlywayMigrationInitializer",
            "org.flywaydb.core.Flyway",
            "liquibase.integration.spring.SpringLiquibase");

    private SettingsOfSpring() {}

    static InstallationSettings of(ListableBeanFactory beans, HowdahProperties properties, Environment environment) {
        HowdahProperties.JobSettings jobs = properties.jobs();
        boolean virtualThreads = Objects.requireNonNullElseGet(
                jobs.virtualThreads(),
                () -> environment.getProperty("spring.threads.virtual.enabled", Boolean.class, false)
                        && Runtime.version().feature() >= 21);
        return new InstallationSettings(
                "howdah",
                properties.schema(),
                properties.nodeName(),
                properties.shutdownTimeout(),
                tablesByOthers(beans, properties.install()),
                jobs.enabled(),
                properties.processes().enabled(),
                jobs.concurrency(),
                jobs.queues(),
                jobs.attempts(),
                jobs.timeout(),
                virtualThreads,
                jobs.keepDone(),
                jobs.keepFailed(),
                properties.health().maxLag(),
                null,
                properties.tasks().schema(),
                properties.tasks().table());
    }

    private static @Nullable String tablesByOthers(ListableBeanFactory beans, HowdahProperties.Install install) {
        boolean tool = runTools(beans);
        return switch (install) {
            case START -> null;
            case NEVER -> tool ? InstallationSettings.BY_TOOL : "howdah.install=never.";
            case AUTO -> tool ? InstallationSettings.BY_TOOL : null;
        };
    }

    /** Makes the beans that change the schema, so that they have done so; returns whether there is one. */
    private static boolean runTools(ListableBeanFactory beans) {
        boolean found = false;
        for (String each : TOOLS) {
            if (!ClassUtils.isPresent(each, beans.getClass().getClassLoader())) continue;
            Class<?> type = ClassUtils.resolveClassName(each, beans.getClass().getClassLoader());
            found |= !beans.getBeansOfType(type, false, true).isEmpty();
        }
        return found;
    }
}
