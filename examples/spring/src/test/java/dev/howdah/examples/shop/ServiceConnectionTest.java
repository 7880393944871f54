package dev.howdah.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.ConfigurableApplicationContext;

/** The address of the database is a bean, as a container's field that is marked {@code @ServiceConnection} makes it, and no property has it. */
@PostgresTest
class ServiceConnectionTest {
    private final TestDatabase database;

    ServiceConnectionTest(TestDatabase database) {
        this.database = database;
    }

    private JdbcConnectionDetails details() {
        return new JdbcConnectionDetails() {
            @Override
            public String getUsername() {
                return "postgres";
            }

            @Override
            public String getPassword() {
                return "";
            }

            @Override
            public String getJdbcUrl() {
                return "jdbc:postgresql://" + database.uri().substring("postgresql://postgres@".length());
            }
        };
    }

    @Test
    void node_andItsKeptSessions_useTheDatabaseOfTheConnectionDetails() {
        SpringApplication shop = new SpringApplication(Shop.class);
        shop.addInitializers(context -> context.getBeanFactory().registerSingleton("container", details()));
        try (ConfigurableApplicationContext application = shop.run("--server.port=0")) {
            application.getBean(Orders.class).place("Ann");
            Awaitility.await()
                    .atMost(Patience.LIMIT)
                    .until(() -> "done".equals(database.value("SELECT state FROM howdah.jobs WHERE kind = 'confirm'")));
            assertThat(database.value("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                            + " AND application_name LIKE 'howdah%'"))
                    .isNotEqualTo("0");
        }
    }
}
