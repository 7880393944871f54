package dev.howdah.micronaut.internal;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.util.Credentials;
import dev.howdah.beans.internal.handler.RefusedStart;
import dev.howdah.beans.internal.node.DriverSessions;
import dev.howdah.beans.internal.node.InstallationSettings;
import io.micronaut.context.env.Environment;
import io.micronaut.core.type.Argument;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Reads {@code howdah.*}, and {@code howdah.datasources.NAME.*} for a data source that is not the default one. Safe for use by many threads. */
@Singleton
final class SettingsReader {
    /** Tools that change the schema of a database. Names, since they need not be there. */
    private static final List<String> TOOLS =
            List.of("io.micronaut.flyway.FlywayMigrator", "io.micronaut.liquibase.LiquibaseMigrator");

    private static final boolean HIKARI =
            SettingsReader.class.getResource("/com/zaxxer/hikari/HikariDataSource.class") != null;

    private final Environment environment;

    SettingsReader(Environment environment) {
        this.environment = environment;
    }

    private static String prefix(String dataSource) {
        return dataSource.equals(InstallationFactory.FIRST) ? "howdah" : "howdah.datasources." + dataSource;
    }

    private <T> T get(String prefix, String name, Class<T> type, T otherwise) {
        return environment.getProperty(prefix + "." + name, type, otherwise);
    }

    InstallationSettings of(String dataSource) {
        String prefix = prefix(dataSource);
        return new InstallationSettings(
                prefix,
                get(prefix, "schema", String.class, "howdah"),
                environment.getProperty(prefix + ".node-name", String.class).orElse(null),
                get(prefix, "shutdown-timeout", Duration.class, Duration.ofSeconds(25)),
                tablesByOthers(prefix),
                get(prefix, "jobs.enabled", Boolean.class, true),
                get(prefix, "processes.enabled", Boolean.class, true),
                get(prefix, "jobs.concurrency", Integer.class, 10),
                environment
                        .getProperty(prefix + ".jobs.queues", Argument.listOf(String.class))
                        .orElse(List.of()),
                get(prefix, "jobs.attempts", Integer.class, 25),
                get(prefix, "jobs.timeout", Duration.class, Duration.ZERO),
                get(prefix, "jobs.virtual-threads", Boolean.class, false),
                get(prefix, "jobs.keep-done", Duration.class, Duration.ofDays(7)),
                get(prefix, "jobs.keep-failed", Duration.class, Duration.ofDays(30)),
                environment
                        .getProperty(prefix + ".health.max-lag", Duration.class)
                        .orElse(null),
                environment
                        .getProperty(prefix + ".health.max-lost", Duration.class)
                        .orElse(null),
                get(prefix, "tasks.schema", String.class, "public"),
                get(prefix, "tasks.table", String.class, "task"));
    }

    private @Nullable String tablesByOthers(String prefix) {
        String install = get(prefix, "install", String.class, "auto").toLowerCase(Locale.ROOT);
        return switch (install) {
            case "start" -> null;
            case "never" -> prefix + ".install=never.";
            case "auto" -> hasTool() ? InstallationSettings.BY_TOOL : null;
            default ->
                throw new RefusedStart(
                        "The property " + prefix + ".install is refused: it is auto, start or never, not " + install
                                + ".",
                        "Correct its value.");
        };
    }

    private static boolean hasTool() {
        return TOOLS.stream()
                .anyMatch(each -> SettingsReader.class.getResource("/" + each.replace('.', '/') + ".class") != null);
    }

    /** Connections outside of the pool, with its address and login. Pools that do not say these are used themselves. */
    DataSource sessions(String dataSource, DataSource pool) {
        String prefix = prefix(dataSource);
        String url =
                environment.getProperty(prefix + ".sessions.url", String.class).orElse(null);
        if (url == null && !(HIKARI && pool instanceof HikariDataSource)) return pool;
        if (url != null)
            return DriverSessions.of(prefix + ".sessions.url", url, () -> {
                Properties login = HIKARI ? Hikari.login(pool) : new Properties();
                environment
                        .getProperty(prefix + ".sessions.username", String.class)
                        .ifPresent(user -> login.setProperty("user", user));
                environment
                        .getProperty(prefix + ".sessions.password", String.class)
                        .ifPresent(password -> login.setProperty("password", password));
                return login;
            });
        return Hikari.sessions(dataSource, pool);
    }

    /** Loaded only where HikariCP is there. */
    private static final class Hikari {
        private Hikari() {}

        static DataSource sessions(String dataSource, DataSource pool) {
            HikariDataSource hikari = (HikariDataSource) pool;
            if (hikari.getJdbcUrl() == null) return pool;
            return DriverSessions.of("datasources." + dataSource + ".url", hikari.getJdbcUrl(), () -> {
                Properties all = new Properties();
                all.putAll(hikari.getDataSourceProperties());
                all.putAll(login(hikari));
                return all;
            });
        }

        static Properties login(DataSource pool) {
            Properties login = new Properties();
            if (!(pool instanceof HikariDataSource hikari)) return login;
            Credentials now = hikari.getCredentials();
            if (now.getUsername() != null) login.setProperty("user", now.getUsername());
            if (now.getPassword() != null) login.setProperty("password", now.getPassword());
            return login;
        }
    }
}
