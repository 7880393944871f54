package dev.howdah.spring.internal.node;

import com.zaxxer.hikari.HikariDataSource;
import dev.howdah.beans.internal.handler.RefusedStart;
import dev.howdah.spring.HowdahProperties;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Objects;
import java.util.Properties;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;
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
        Address address = address(pool);
        if (settings.url() != null)
            return direct(
                    "howdah.sessions.url",
                    settings.url(),
                    () -> settings.username() != null ? settings.username() : user(pool),
                    () -> settings.password() != null ? settings.password() : password(pool),
                    new Properties());
        if (settings.source() == HowdahProperties.SessionSource.POOL || address == null) return pool;
        return direct(
                "spring.datasource.url", address.url(), () -> user(pool), () -> password(pool), address.properties());
    }

    private static DataSource direct(String property, String url, Login user, Login password, Properties properties) {
        PGSimpleDataSource direct = new PoolLogin(user, password);
        try {
            direct.setUrl(url);
            // For those that ask it themselves, at the start: pgjdbc does not call the getters.
            if (user.get() != null) direct.setUser(user.get());
            if (password.get() != null) direct.setPassword(password.get());
            for (String each : properties.stringPropertyNames()) direct.setProperty(each, properties.getProperty(each));
        } catch (IllegalArgumentException | SQLException e) {
            throw new RefusedStart(
                    property + " is no URL of PostgreSQL's driver, such as jdbc:postgresql://db.example/shop.",
                    "Correct it, or let the node take its connections from the pool: howdah.sessions.source=pool.");
        }
        return direct;
    }

    /** The name of a user, or a password, as it is now; null: that of the URL. */
    private interface Login extends Supplier<@Nullable String> {}

    /** Logs in as the pool does at that moment: its credentials may be changed while it runs, or be tokens that expire. */
    private static final class PoolLogin extends PGSimpleDataSource {
        private static final long serialVersionUID = 1;

        private final transient Login user;
        private final transient Login password;

        PoolLogin(Login user, Login password) {
            this.user = user;
            this.password = password;
        }

        @Override
        public @Nullable String getUser() {
            String now = user.get();
            return now == null ? super.getUser() : now;
        }

        @Override
        public @Nullable String getPassword() {
            String now = password.get();
            return now == null ? super.getPassword() : now;
        }
    }

    private static @Nullable String user(DataSource pool) {
        return HIKARI ? Hikari.user(pool) : null;
    }

    private static @Nullable String password(DataSource pool) {
        return HIKARI ? Hikari.password(pool) : null;
    }

    /** What a pool opens its connections with. */
    private record Address(String url, Properties properties) {}

    /** Null: it is another pool, or of another database. */
    private static @Nullable Address address(DataSource pool) {
        return HIKARI ? Hikari.address(pool) : null;
    }

    /** Loaded only where HikariCP is there. */
    private static final class Hikari {
        private Hikari() {}

        static @Nullable Address address(DataSource pool) {
            HikariDataSource hikari = hikari(pool);
            if (hikari == null) return null;
            String url = Objects.requireNonNullElse(hikari.getJdbcUrl(), "");
            if (!url.startsWith(POSTGRES) || hikari.getDataSource() != null) return null;
            return new Address(url, hikari.getDataSourceProperties());
        }

        static @Nullable String user(DataSource pool) {
            HikariDataSource hikari = hikari(pool);
            return hikari == null ? null : hikari.getCredentials().getUsername();
        }

        static @Nullable String password(DataSource pool) {
            HikariDataSource hikari = hikari(pool);
            return hikari == null ? null : hikari.getCredentials().getPassword();
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
