package dev.howdah.spring.internal.config;

import dev.howdah.job.Jobs;
import dev.howdah.process.Processes;
import dev.howdah.spi.TransactionBridge;
import dev.howdah.spring.HowdahDataSource;
import dev.howdah.spring.HowdahProperties;
import dev.howdah.spring.internal.handler.HandlerMethods;
import dev.howdah.spring.internal.log.JobLines;
import dev.howdah.spring.internal.node.ApplicationNode;
import dev.howdah.spring.internal.node.ChosenDataSource;
import dev.howdah.spring.internal.node.SpringInstallations;
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
import org.springframework.context.annotation.Configuration;
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
    HandlerMethods howdahHandlers(ConfigurableListableBeanFactory beans) {
        return new HandlerMethods(beans);
    }

    @Bean
    static SpringInstallations.Registrar howdahInstallationBeans() {
        return new SpringInstallations.Registrar();
    }

    @Bean(destroyMethod = "close")
    @DependsOnDatabaseInitialization
    SpringInstallations howdahInstallations(
            ConfigurableListableBeanFactory beans,
            HowdahProperties properties,
            ChosenDataSource sources,
            TransactionBridge transactions,
            ObjectProvider<PlatformTransactionManager> managers,
            Environment environment) {
        return new SpringInstallations(beans, properties, sources, transactions, managers, environment);
    }

    /** Beside jobs of other data sources, which an application injects by their names; another bean of this name replaces it. */
    @Bean(destroyMethod = "")
    @Primary
    @ConditionalOnMissingBean(name = "howdahJobs")
    Jobs howdahJobs(SpringInstallations installations) {
        return installations.first().jobs();
    }

    /** Its tables are made when it is used. */
    @Bean(destroyMethod = "")
    @Lazy
    @Primary
    @ConditionalOnMissingBean(name = "howdahProcesses")
    Processes howdahProcesses(SpringInstallations installations) {
        return installations.first().processes();
    }

    @Bean
    @Primary
    @ConditionalOnMissingBean(name = "howdahSweeps")
    Sweeps howdahSweeps(SpringInstallations installations) {
        return installations.first().sweeps();
    }

    @Bean
    @Primary
    @ConditionalOnMissingBean(name = "howdahTaskTable")
    TaskTable howdahTaskTable(SpringInstallations installations) {
        return installations.first().taskTable();
    }

    /** Needs Logback. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "ch.qos.logback.classic.LoggerContext")
    @ConditionalOnProperty(prefix = "howdah.jobs", name = "log-level")
    static class LinesOfHandlers {
        @Bean(destroyMethod = "close")
        JobLines howdahJobLines(HowdahProperties properties) {
            return JobLines.of(String.valueOf(properties.jobs().logLevel()));
        }
    }

    /** Also stopped where a start that fails half-way destroys beans without stopping them. */
    @Bean(destroyMethod = "stop")
    ApplicationNode howdahNode(SpringInstallations installations, HandlerMethods handlers) {
        return new ApplicationNode(installations, handlers);
    }
}
