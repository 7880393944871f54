package dev.howdah.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.howdah.beans.JobHandler;
import dev.howdah.job.Job;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.job.query.JobState;
import io.agroal.api.AgroalDataSource;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.health.SmallRyeHealthReporter;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.eclipse.microprofile.config.ConfigProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** An application with the extension: beans, methods that handle jobs, transactions. */
@SuppressWarnings("NullAway.Init") // injected
class QuarkusExtensionTest {
    @RegisterExtension
    static final QuarkusUnitTest APPLICATION =
            TestApplication.with(Orders.class).overrideRuntimeConfigKey("quarkus.howdah.health.max-lost", "10ms");

    /** Adds jobs and handles them. */
    @ApplicationScoped
    static class Orders {
        static final Kind<Long> CONFIRM = Kind.of("confirm", Long.class);

        @Inject
        AgroalDataSource source;

        @Inject
        Jobs jobs;

        @Transactional
        long place(String customer) throws SQLException {
            long order;
            try (Connection connection = source.getConnection();
                    PreparedStatement insert =
                            connection.prepareStatement("INSERT INTO orders (customer) VALUES (?) RETURNING id")) {
                insert.setString(1, customer);
                try (ResultSet row = insert.executeQuery()) {
                    row.next();
                    order = row.getLong(1);
                }
            }
            long job = jobs.add(CONFIRM, order);
            if (customer.isBlank()) throw new IllegalArgumentException("an order needs a customer");
            return job;
        }

        @JobHandler(value = "confirm", transactional = true)
        @Transactional
        void confirm(long order, Job job, Connection connection) throws SQLException {
            try (Statement update = connection.createStatement()) {
                update.execute("UPDATE orders SET confirmed = confirmed + 1 WHERE id = " + order);
            }
            if (job.attempt() == 1) throw new IllegalStateException("the first attempt fails, and is rolled back");
        }
    }

    private static final String LIVE = "\"name\":\"Howdah node\",\"status\":\"UP\"";
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Inject
    Orders orders;

    @Inject
    Jobs jobs;

    @Inject
    AgroalDataSource source;

    @Inject
    SmallRyeHealthReporter reporter;

    @Test
    void order_isConfirmedOnce_byItsJob_orIsRefusedWithIt() throws Exception {
        try (Connection connection = source.getConnection();
                Statement create = connection.createStatement()) {
            create.execute("CREATE TABLE orders (id bigserial PRIMARY KEY, customer text, confirmed int DEFAULT 0)");
        }
        assertThatThrownBy(() -> orders.place(" ")).hasMessage("an order needs a customer");
        long job = orders.place("Ann");
        assertThat(jobs.await(job, Duration.ofSeconds(60)).state()).isEqualTo(JobState.DONE);
        assertThat(TestApplication.value(source, "SELECT sum(confirmed) || ' of ' || count(*) FROM orders"))
                .isEqualTo("1 of 1");
        var ready = reporter.getReadiness().getPayload().toString();
        assertThat(ready).contains("\"name\":\"Howdah health check\",\"status\":\"UP\"", "\"jobs\":\"node ");
        assertThat(live()).contains(LIVE).contains("\"lost\":\"PT0S\"");
        String database = TestApplication.value(source, "SELECT current_database()");
        elsewhere("ALTER DATABASE " + database + " ALLOW_CONNECTIONS false");
        elsewhere("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + database + "'");
        await("a restart would help").atMost(PATIENCE).until(() -> !live().contains(LIVE));
        elsewhere("ALTER DATABASE " + database + " ALLOW_CONNECTIONS true");
        await("the node has its session again").atMost(PATIENCE).until(() -> live().contains(LIVE));
    }

    /** Executes a statement in another database of the server. */
    private static void elsewhere(String sql) throws SQLException {
        String url = ConfigProvider.getConfig().getValue("quarkus.datasource.jdbc.url", String.class);
        try (Connection connection = DriverManager.getConnection(
                        url.replaceFirst("/[^/?]+(\\?.*)?$", "/postgres$1"), "postgres", null);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private String live() {
        return reporter.getLiveness().getPayload().toString();
    }
}
