package dev.howdah.spring.test.internal;

import dev.howdah.Database;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.PropertySource;

/** The property {@code howdah.test.database.NAME}: the JDBC URL of one more database of the test, made when it is first asked for. Safe for use by many threads. */
final class DatabaseProperties extends PropertySource<Map<String, String>> {
    private static final String PREFIX = "howdah.test.database.";

    DatabaseProperties() {
        super("howdah test databases", new ConcurrentHashMap<>());
    }

    @Override
    public @Nullable Object getProperty(String name) {
        if (!name.startsWith(PREFIX) || name.length() == PREFIX.length()) return null;
        return getSource()
                .computeIfAbsent(name, each -> url(TestServers.newDatabase().address()));
    }

    private static String url(Database address) {
        List<Database.HostPort> hosts = address.hosts();
        String password = address.password(hosts.get(0));
        return "jdbc:postgresql://"
                + hosts.stream().map(each -> each.host() + ":" + each.port()).collect(Collectors.joining(",")) + "/"
                + encoded(address.database()) + "?sslmode=" + address.sslMode() + "&user=" + encoded(address.user())
                + (password == null ? "" : "&password=" + encoded(password));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
