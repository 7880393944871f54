package dev.howdah.spring.internal.config;

import dev.howdah.job.Jobs;
import dev.howdah.job.JobsException;
import dev.howdah.process.ProcessException;
import dev.howdah.process.Processes;
import dev.howdah.spi.TransactionBridge;
import dev.howdah.spring.HowdahDataSource;
import dev.howdah.spring.HowdahProperties;
import dev.howdah.spring.internal.handler.HandlerMethods;
import dev.howdah.spring.internal.node.ApplicationNode;
import dev.howdah.spring.internal.node.ChosenDataSource;
import dev.howdah.spring.internal.node.NodeBuilders;
import dev.howdah.spring.internal.node.TablesGuard;
import dev.howdah.spring.internal.transaction.SpringTransactions;
import dev.howdah.sweep.Sweeps;
import dev.howdah.task.TaskTable;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Primary;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/** The beans that an application injects, and the node that runs its jobs and processes. */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration"
        })
@ConditionalOnClass({DataSource.class, JdbcTransactionManager.class})
@ConditionalOnProperty(prefix = "howdah", name = "enabled", matchIfMissing = true)
@EnableConfigurationProperties(HowdahProperties.class)
@ImportRuntimeHints(LibraryHints.class)
public class HowdahAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean
    ChosenDataSource howdahDataSources(
            @HowdahDataSource ObjectProvider<DataSource> marked,
            ObjectProvider<DataSource> all,
            ConfigurableListableBeanFactory beans,
            HowdahProperties properties) {
        return ChosenDataSource.of(marked, all, beans, properties.sessions());
    }

    @Bean
    @ConditionalOnMissingBean
    TransactionBridge howdahTransactions(
            ChosenDataSource sources, ObjectProvider<PlatformTransactionManager> managers) {
        return SpringTransactions.of(sources.pool(), managers);
    }

    @Bean
    @DependsOnDatabaseInitialization
    TablesGuard howdahTables(
            ConfigurableListableBeanFactory beans, ChosenDataSource sources, HowdahProperties properties) {
        return new TablesGuard(beans, sources.sessions(), properties);
    }

    @Bean
    NodeBuilders howdahBuilders(
            ConfigurableListableBeanFactory beans,
            HowdahProperties properties,
            ChosenDataSource sources,
            TransactionBridge transactions,
            Environment environment) {
        return new NodeBuilders(beans, properties, sources, transactions, new HandlerMethods(beans), environment);
    }

    /** Beside jobs of other data sources, which an application injects by their names; another bean of this name replaces it. */
    @Bean(destroyMethod = "close")
    @Primary
    @ConditionalOnMissingBean(name = "howdahJobs")
    Jobs howdahJobs(NodeBuilders builders, TablesGuard tables) {
        tables.checkJobs();
        try {
            return builders.adding().start();
        } catch (JobsException e) {
            throw ApplicationNode.refused(e);
        }
    }

    /** Its tables are made when it is used. */
    @Bean(destroyMethod = "close")
    @Lazy
    @Primary
    @ConditionalOnMissingBean(name = "howdahProcesses")
    Processes howdahProcesses(NodeBuilders builders, TablesGuard tables) {
        tables.checkProcesses();
        try {
            return builders.calling().start();
        } catch (ProcessException e) {
            throw ApplicationNode.refused(e);
        }
    }

    @Bean
    @Primary
    @ConditionalOnMissingBean(name = "howdahSweeps")
    Sweeps howdahSweeps(ChosenDataSource sources) {
        return Sweeps.on(sources.pool());
    }

    @Bean
    @Primary
    @ConditionalOnMissingBean(name = "howdahTaskTable")
    TaskTable howdahTaskTable(ChosenDataSource sources, HowdahProperties properties) {
        return TaskTable.on(
                sources.pool(), properties.tasks().schema(), properties.tasks().table());
    }

    /** Also stopped where a start that fails half-way destroys beans without stopping them. */
    @Bean(destroyMethod = "stop")
    ApplicationNode howdahNode(NodeBuilders builders, HowdahProperties properties, TablesGuard tables) {
        return new ApplicationNode(builders, properties, tables);
    }
}
