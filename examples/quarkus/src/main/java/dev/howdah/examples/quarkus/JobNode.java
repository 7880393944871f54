package dev.howdah.examples.quarkus;

import dev.howdah.job.Jobs;
import dev.howdah.spi.RetryPolicy;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.postgresql.ds.PGSimpleDataSource;

/** The node that runs the application's jobs, from its start until it stops. */
@Singleton
class JobNode {
    @Produces
    @Singleton
    Jobs jobs(
            DataSource pool,
            Orders orders,
            @ConfigProperty(name = "quarkus.datasource.jdbc.url") String url,
            @ConfigProperty(name = "quarkus.datasource.username") String user,
            @ConfigProperty(name = "quarkus.datasource.password") Optional<String> password) {
        PGSimpleDataSource sessions = new PGSimpleDataSource();
        sessions.setURL(url);
        sessions.setUser(user);
        password.ifPresent(sessions::setPassword);
        return Jobs.on(pool)
                .sessionDataSource(sessions)
                .transactions(new JtaTransactions(pool))
                .handleInTransaction(
                        Orders.CONFIRM,
                        (order, job, connection) -> orders.confirm(order, job.attempt()),
                        options -> options.retries(RetryPolicy.after(Duration.ofMillis(50))))
                .start();
    }

    void start(@Observes StartupEvent event, Jobs jobs) {}

    void stop(@Observes ShutdownEvent event, Jobs jobs) {
        jobs.close();
    }
}
