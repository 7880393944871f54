package dev.howdah.micronaut.internal;

import dev.howdah.beans.internal.handler.BeanMethod;
import dev.howdah.beans.internal.node.Installation;
import dev.howdah.job.Jobs;
import dev.howdah.process.Processes;
import dev.howdah.sweep.Sweeps;
import dev.howdah.task.TaskTable;
import io.micronaut.context.BeanContext;
import io.micronaut.context.annotation.Bean;
import io.micronaut.context.annotation.EachBean;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Parameter;
import io.micronaut.core.type.Argument;
import io.micronaut.data.connection.ConnectionOperations;
import io.micronaut.inject.qualifiers.Qualifiers;
import io.micronaut.jdbc.DataSourceResolver;
import io.micronaut.transaction.TransactionOperations;
import java.sql.Connection;
import java.util.List;
import javax.sql.DataSource;

/** The beans that an application injects, of each data source. */
@Factory
final class InstallationFactory {
    /** Without a name an application injects the bean of the data source {@code default}. */
    static final String FIRST = "default";

    /** Howdah in a data source, with the methods that handle its jobs. */
    record Named(String name, Installation installation, MicronautBeans beans) implements AutoCloseable {
        List<BeanMethod> methods() {
            return installation.handlers(beans.methods());
        }

        void start() {
            installation.jobs(); // the tables, and errors now rather than at the first request
            installation.start(methods());
        }

        @Override
        public void close() {
            installation.close();
        }
    }

    @EachBean(DataSource.class)
    @Bean(preDestroy = "close")
    @SuppressWarnings("unchecked") // Micronaut has arguments for types with parameters
    Named installation(
            DataSource source,
            @Parameter String name,
            DataSourceResolver resolver,
            MicronautBeans beans,
            SettingsReader settings,
            BeanContext context) {
        DataSource pool = resolver.resolve(source);
        MicronautTransactions transactions = new MicronautTransactions(
                (TransactionOperations<Connection>) context.getBean(
                        Argument.of(TransactionOperations.class, Connection.class), Qualifiers.byName(name)),
                (ConnectionOperations<Connection>) context.getBean(
                        Argument.of(ConnectionOperations.class, Connection.class), Qualifiers.byName(name)));
        Installation installation = new Installation(
                name.equals(FIRST) ? "" : name,
                settings.of(name),
                pool,
                settings.sessions(name, pool),
                transactions,
                beans);
        return new Named(name, installation, beans);
    }

    @EachBean(Named.class)
    @Bean
    Jobs jobs(Named of) {
        return of.installation().jobs();
    }

    @EachBean(Named.class)
    @Bean
    Processes processes(Named of) {
        return of.installation().processes();
    }

    @EachBean(Named.class)
    @Bean
    Sweeps sweeps(Named of) {
        return of.installation().sweeps();
    }

    @EachBean(Named.class)
    @Bean
    TaskTable taskTable(Named of) {
        return of.installation().taskTable();
    }
}
