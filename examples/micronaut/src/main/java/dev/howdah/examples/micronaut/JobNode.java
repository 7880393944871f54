package dev.howdah.examples.micronaut;

import dev.howdah.job.Jobs;
import dev.howdah.spi.RetryPolicy;
import io.micronaut.configuration.jdbc.hikari.DatasourceConfiguration;
import io.micronaut.context.annotation.Bean;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Factory;
import io.micronaut.data.connection.ConnectionOperations;
import io.micronaut.jdbc.DataSourceResolver;
import io.micronaut.transaction.TransactionOperations;
import java.sql.Connection;
import java.time.Duration;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** The node that runs the application's jobs, from its start until it stops. */
@Factory
class JobNode {
    @Context
    @Bean(preDestroy = "close")
    Jobs jobs(
            DataSource source,
            DataSourceResolver resolver,
            TransactionOperations<Connection> transactions,
            ConnectionOperations<Connection> connections,
            Confirmations confirmations,
            DatasourceConfiguration settings) {
        PGSimpleDataSource sessions = new PGSimpleDataSource();
        sessions.setURL(settings.getUrl());
        sessions.setUser(settings.getUsername());
        sessions.setPassword(settings.getPassword());
        return Jobs.on(resolver.resolve(source))
                .sessionDataSource(sessions)
                .transactions(new MicronautTransactions(transactions, connections))
                .handleInTransaction(
                        Orders.CONFIRM,
                        (order, job, connection) -> confirmations.confirm(order, job.attempt()),
                        options -> options.retries(RetryPolicy.after(Duration.ofMillis(50))))
                .start();
    }
}
