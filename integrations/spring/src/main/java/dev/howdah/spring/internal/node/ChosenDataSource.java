package dev.howdah.spring.internal.node;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.util.Credentials;
import dev.howdah.beans.internal.handler.RefusedStart;
import dev.howdah.beans.internal.node.DriverSessions;
import dev.howdah.spring.HowdahProperties;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Properties;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.util.ClassUtils;

/**
 * The data source with Howdah's tables.
 *
 * @param pool the application's
 * @param sessions of the connections that a node keeps; may be the same
 */
public record ChosenDataSource(DataSource pool, DataSource sessions) {
    private static final boolean HIKARI =
            ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource", ChosenDataSource.class.getClassLoader());
    private static final String POSTGRES = "jdbc:postgresql:";

    /**
     * Chooses among the beans of an application.
     *
     * @param marked those with the qualifier
     * @param all the others, too
     */
    public static ChosenDataSource of(
            ObjectProvider<DataSource> marked,
            ObjectProvider<DataSource> all,
            ListableBeanFactory beans,
            HowdahProperties.Sessions settings) {
        DataSource pool = choose(marked, all, beans);
        return new ChosenDataSource(pool, sessions(pool, settings));
    }

    private static DataSource choose(
            ObjectProvider<DataSource> marked, ObjectProvider<DataSource> all, ListableBeanFactory beans) {
        try {
            DataSource one = marked.getIfAvailable();
            if (one == null) one = all.getIfAvailable();
            if (one != null) return one;
        } catch (NoUniqueBeanDefinitionException e) {
            String names = String.join(", ", Arrays.asList(beans.getBeanNamesForType(DataSource.class)));
            throw new RefusedStart(
                    "Howdah needs one data source, and the application has several: " + names + ".",
                    "Mark the one with Howdah's tables with @HowdahDataSource, or as @Primary.",
                    e);
        }
        throw new RefusedStart(
                "Howdah needs a data source of PostgreSQL, and the application has none.",
                "Add the dependency spring-boot-starter-jdbc and set spring.datasource.url=jdbc:postgresql://..., or"
                        + " switch Howdah off with howdah.enabled=false.");
    }

    private static DataSource sessions(DataSource pool, HowdahProperties.Sessions settings) {
        String url = settings.url();
        if (url != null)
            return DriverSessions.of("howdah.sessions.url", url, () -> {
                Properties login = HIKARI ? Hikari.login(pool) : new Properties();
                if (settings.username() != null) login.setProperty("user", settings.username());
                if (settings.password() != null) login.setProperty("password", settings.password());
                return login;
            });
        String address = HIKARI ? Hikari.url(pool) : null;
        if (settings.source() == HowdahProperties.SessionSource.POOL || address == null) return pool;
        return DriverSessions.of("spring.datasource.url", address, () -> Hikari.all(pool));
    }

    /** Loaded only where HikariCP is there. */
    private static final class Hikari {
        private Hikari() {}

        /** Of the driver; null: it is another pool, or of another database. */
        static @Nullable String url(DataSource pool) {
            HikariDataSource hikari = hikari(pool);
            if (hikari == null || hikari.getDataSource() != null) return null;
            String url = hikari.getJdbcUrl();
            return url != null && url.startsWith(POSTGRES) ? url : null;
        }

        static Properties all(DataSource pool) {
            Properties all = new Properties();
            HikariDataSource hikari = hikari(pool);
            if (hikari != null) all.putAll(hikari.getDataSourceProperties());
            all.putAll(login(pool));
            return all;
        }

        static Properties login(DataSource pool) {
            Properties login = new Properties();
            HikariDataSource hikari = hikari(pool);
            if (hikari == null) return login;
            Credentials now = hikari.getCredentials();
            if (now.getUsername() != null) login.setProperty("user", now.getUsername());
            if (now.getPassword() != null) login.setProperty("password", now.getPassword());
            return login;
        }

        private static @Nullable HikariDataSource hikari(DataSource pool) {
            try {
                return pool.isWrapperFor(HikariDataSource.class) ? pool.unwrap(HikariDataSource.class) : null;
            } catch (SQLException | RuntimeException e) {
                return pool instanceof HikariDataSource hikari ? hikari : null;
            }
        }
    }
}
