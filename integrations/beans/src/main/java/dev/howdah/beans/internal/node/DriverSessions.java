package dev.howdah.beans.internal.node;

import dev.howdah.beans.internal.handler.RefusedStart;
import java.sql.SQLException;
import java.util.Properties;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/** Connections of the driver, beside a pool: those that a node keeps would take places of the pool. */
public final class DriverSessions {
    private static final String USER = "user";
    private static final String PASSWORD = "password";

    private DriverSessions() {}

    /**
     * A data source that logs in as the pool does at that moment: its credentials may be changed while it runs, or be tokens that expire.
     *
     * @param property that has the URL, for messages
     * @param login {@code user}, {@code password} and other properties of the driver, asked for at each connection
     */
    public static DataSource of(String property, String url, Supplier<Properties> login) {
        PGSimpleDataSource sessions = new Sessions(login);
        try {
            sessions.setUrl(url);
            Properties now = login.get();
            for (String each : now.stringPropertyNames()) sessions.setProperty(each, now.getProperty(each));
        } catch (IllegalArgumentException | SQLException e) {
            throw new RefusedStart(
                    property + " is no URL of PostgreSQL's driver, such as jdbc:postgresql://db.example/shop.",
                    "Correct it; Howdah needs the driver of PostgreSQL.",
                    e);
        }
        return sessions;
    }

    private static final class Sessions extends PGSimpleDataSource {
        private static final long serialVersionUID = 1;

        private final transient Supplier<Properties> login;

        Sessions(Supplier<Properties> login) {
            this.login = login;
        }

        @Override
        public @Nullable String getUser() {
            String now = login.get().getProperty(USER);
            return now == null ? super.getUser() : now;
        }

        @Override
        public @Nullable String getPassword() {
            String now = login.get().getProperty(PASSWORD);
            return now == null ? super.getPassword() : now;
        }
    }
}
