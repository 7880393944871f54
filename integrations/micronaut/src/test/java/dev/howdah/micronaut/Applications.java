package dev.howdah.micronaut;

import dev.howdah.fixtures.TestDatabase;
import io.micronaut.context.ApplicationContext;
import java.util.HashMap;
import java.util.Map;

/** Applications of tests. */
final class Applications {
    private Applications() {}

    /** One on that database, with these properties more. */
    static ApplicationContext start(TestDatabase database, Map<String, Object> more) {
        Map<String, Object> properties = new HashMap<>(more);
        properties.put("datasources.default.url", url(database));
        properties.put("datasources.default.username", "postgres");
        return ApplicationContext.run(properties);
    }

    static String url(TestDatabase database) {
        return database.uri().replace("postgresql://postgres@", "jdbc:postgresql://");
    }
}
