package dev.howdah.quarkus.runtime;

import dev.howdah.beans.internal.node.DriverSessions;
import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.AgroalConnectionFactoryConfiguration;
import io.agroal.api.security.AgroalSecurityProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import javax.sql.DataSource;

/** Connections outside of a pool of Agroal, with its address, properties and login. */
final class AgroalSessions {
    private AgroalSessions() {}

    static DataSource of(String prefix, HowdahConfig.Sessions settings, AgroalDataSource pool) {
        AgroalConnectionFactoryConfiguration its =
                pool.getConfiguration().connectionPoolConfiguration().connectionFactoryConfiguration();
        return settings.url()
                .map(url -> DriverSessions.of(prefix + ".sessions.url", url, () -> {
                    Properties login = login(its);
                    settings.username().ifPresent(user -> login.setProperty("user", user));
                    settings.password().ifPresent(password -> login.setProperty("password", password));
                    return login;
                }))
                .orElseGet(() -> DriverSessions.of("quarkus.datasource.jdbc.url", its.jdbcUrl(), () -> {
                    Properties all = new Properties();
                    all.putAll(its.jdbcProperties());
                    all.putAll(login(its));
                    return all;
                }));
    }

    /** The user and password at this moment, also of a credentials provider. */
    private static Properties login(AgroalConnectionFactoryConfiguration its) {
        Properties login = new Properties();
        List<Object> secrets = new ArrayList<>(its.credentials());
        if (its.principal() != null) secrets.add(0, its.principal());
        for (Object secret : secrets)
            for (AgroalSecurityProvider each : its.securityProviders()) {
                Properties said = each.getSecurityProperties(secret);
                if (said == null) continue;
                login.putAll(said);
                break;
            }
        return login;
    }
}
