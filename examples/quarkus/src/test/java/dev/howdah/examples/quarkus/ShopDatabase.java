package dev.howdah.examples.quarkus;

import dev.howdah.fixtures.TestDatabase;
import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import java.util.Map;

/** The application's database, from before its start until after its end. */
public class ShopDatabase implements QuarkusTestResourceLifecycleManager {
    /** How many connections the application's pool has at most. */
    static final int POOL = 5;

    private final TestDatabase database = TestDatabase.create();

    @Override
    public Map<String, String> start() {
        database.execute("CREATE TABLE orders (id bigserial PRIMARY KEY, customer text, confirmed int DEFAULT 0)");
        return Map.of(
                "quarkus.datasource.jdbc.max-size",
                String.valueOf(POOL),
                "quarkus.datasource.username",
                "postgres",
                "quarkus.datasource.jdbc.url",
                database.uri().replace("postgresql://postgres@", "jdbc:postgresql://"));
    }

    @Override
    public void inject(TestInjector injector) {
        injector.injectIntoFields(database, field -> field.getType() == TestDatabase.class);
    }

    @Override
    public void stop() {
        database.close();
    }
}
