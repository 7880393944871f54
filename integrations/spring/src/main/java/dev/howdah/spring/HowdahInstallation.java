package dev.howdah.spring;

import java.util.Objects;
import javax.sql.DataSource;

/**
 * One more installation of Howdah in an application: jobs in another database, or in another schema. A bean; with its name, handlers say whose jobs they do, and a bean
 * {@code Jobs} of that name followed by {@code Jobs} adds them:
 *
 * <pre>{@code
 * @Bean
 * HowdahInstallation reports(@Qualifier("reportSource") DataSource source) {
 *     return HowdahInstallation.on(source);
 * }
 *
 * @JobHandler(value = "monthly", installation = "reports")
 * void monthly(Month payload) { ... }
 *
 * Reporting(@Qualifier("reportsJobs") Jobs jobs) { ... }
 * }</pre>
 *
 * <p>It has a node of its own, with the properties {@code howdah.*} of all. Processes, schedules of customizers, health and console are those of the application's data source.
 *
 * @param source the connections
 * @param schema of the tables
 * @param sessions of the connections that a node keeps
 */
public record HowdahInstallation(DataSource source, String schema, DataSource sessions) {
    public HowdahInstallation {
        Objects.requireNonNull(source, "an installation needs a data source, not null");
        Objects.requireNonNull(schema, "an installation needs a schema, not null");
        Objects.requireNonNull(sessions, "an installation needs a data source of its sessions, not null");
    }

    /** An installation in the schema {@code howdah}, whose node keeps connections of the same data source. */
    public static HowdahInstallation on(DataSource source) {
        return new HowdahInstallation(source, "howdah", source);
    }

    /** Returns a copy with its tables in that schema. */
    public HowdahInstallation schema(String name) {
        return new HowdahInstallation(source, name, sessions);
    }

    /** Returns a copy whose node keeps connections of that data source, which is no pool and reaches PostgreSQL itself. */
    public HowdahInstallation sessions(DataSource direct) {
        return new HowdahInstallation(source, schema, direct);
    }
}
