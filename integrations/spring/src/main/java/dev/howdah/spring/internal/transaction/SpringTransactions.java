package dev.howdah.spring.internal.transaction;

import dev.howdah.spi.TransactionBridge;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Spring's transactions of one data source, of JDBC and of JPA. After the commit or rollback of a transaction its callbacks find
 * the thread as it was in the transaction, with the connection, on which nothing is committed any more: what they add is added in
 * a transaction of its own. Safe for use by many threads.
 */
public final class SpringTransactions implements TransactionBridge, SmartInitializingSingleton {
    private static final Logger log = LoggerFactory.getLogger(SpringTransactions.class);

    private final DataSource source;
    private final Supplier<PlatformTransactionManager> manager;
    private final Supplier<Stream<PlatformTransactionManager>> all;
    private final AtomicBoolean warned = new AtomicBoolean();

    /**
     * @param manager asked when the first transaction is begun
     * @param all whose transactions callers may be in
     */
    private SpringTransactions(
            DataSource source,
            Supplier<PlatformTransactionManager> manager,
            Supplier<Stream<PlatformTransactionManager>> all) {
        this.all = all;
        this.source = below(source);
        this.manager = manager;
    }

    /** With the only or primary manager, unless that is of another data source of JDBC; then with one of this data source. */
    public static SpringTransactions of(DataSource source, ObjectProvider<PlatformTransactionManager> managers) {
        return new SpringTransactions(source, () -> manager(source, managers), managers::stream);
    }

    private static PlatformTransactionManager manager(
            DataSource source, ObjectProvider<PlatformTransactionManager> managers) {
        PlatformTransactionManager only = managers.getIfUnique();
        if (only != null && (!(only instanceof DataSourceTransactionManager) || isOf(only, source))) return only;
        return managers.stream()
                .filter(each -> isOf(each, source))
                .findFirst()
                .orElseGet(() -> new JdbcTransactionManager(below(source)));
    }

    /** Sees to it that each transaction is marked when it begins. */
    @Override
    public void afterSingletonsInstantiated() {
        all.get().forEach(each -> {
            if (each instanceof ConfigurableTransactionManager one) one.addListener(new Beginnings());
        });
    }

    private static final class Beginnings implements TransactionExecutionListener {
        @Override
        public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
            if (failure == null && TransactionSynchronizationManager.isSynchronizationActive()) mark();
        }
    }

    private static void mark() {
        TransactionSynchronizationManager.registerSynchronization(new Mark());
    }

    /** Of a transaction: whether it has committed. For its thread. */
    private static final class Mark implements TransactionSynchronization {
        private boolean committed;

        /** Before all other callbacks of that commit. */
        @Override
        public int getOrder() {
            return HIGHEST_PRECEDENCE;
        }

        @Override
        public void afterCommit() {
            committed = true;
        }
    }

    /** Whether a callback after the end of the transaction runs: the thread seems to be in it still. */
    private static boolean isOver() {
        // Spring removes them before it calls afterCompletion.
        if (!TransactionSynchronizationManager.isSynchronizationActive()) return true;
        for (TransactionSynchronization each : TransactionSynchronizationManager.getSynchronizations())
            if (each instanceof Mark mark) return mark.committed;
        // A manager that tells no listener. A callback of its commit that is the first to add is not recognized.
        mark();
        return false;
    }

    private static boolean isOf(PlatformTransactionManager manager, DataSource source) {
        return manager instanceof DataSourceTransactionManager jdbc && jdbc.getDataSource() == below(source);
    }

    /** The one to which transaction managers bind connections. */
    private static DataSource below(DataSource source) {
        DataSource target =
                source instanceof TransactionAwareDataSourceProxy proxy ? proxy.getTargetDataSource() : null;
        return target == null ? source : below(target);
    }

    @Override
    public boolean isActive() {
        if (!TransactionSynchronizationManager.isActualTransactionActive() || isOver()) return false;
        if (TransactionSynchronizationManager.hasResource(source)) return true;
        if (warned.compareAndSet(false, true))
            log.warn(
                    "a job is added in a transaction that has no connection of Howdah's data source: in one of its own; a"
                            + " connection given to add joins another transaction");
        return false;
    }

    @Override
    public <T extends @Nullable Object> T join(Work<T> work) throws Exception {
        Connection connection = DataSourceUtils.getConnection(source);
        try {
            return work.run(connection);
        } finally {
            DataSourceUtils.releaseConnection(connection, source);
        }
    }

    @Override
    public void afterCommit(Runnable work) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                work.run();
            }
        });
    }

    @Override
    public <T extends @Nullable Object> T begin(Work<T> work) throws Exception {
        TransactionTemplate template = new TransactionTemplate(manager.get());
        template.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        Attempt<T> attempt = new Attempt<>(work);
        try {
            template.executeWithoutResult(status -> attempt.run());
        } catch (CheckedException e) {
            throw e.checked;
        } catch (RuntimeException | Error e) {
            if (!attempt.committed) throw e;
            log.warn("after the commit of a job's transaction: {}", e.toString());
        }
        return attempt.result();
    }

    /** On its way through Spring, which rolls back because of it. */
    private static final class CheckedException extends RuntimeException {
        private static final long serialVersionUID = 1;

        private final Exception checked;

        CheckedException(Exception checked) {
            super(checked);
            this.checked = checked;
        }
    }

    /** Some work in one transaction. For one thread. */
    private final class Attempt<T extends @Nullable Object> implements TransactionSynchronization {
        private final Work<T> work;
        private @Nullable T result;
        private boolean committed;

        Attempt(Work<T> work) {
            this.work = work;
        }

        void run() {
            mark();
            TransactionSynchronizationManager.registerSynchronization(this);
            try {
                result = join(connection -> {
                    check(connection);
                    return work.run(connection);
                });
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new CheckedException(e);
            }
        }

        private void check(Connection connection) throws SQLException {
            if (connection.getAutoCommit())
                throw new IllegalStateException("the transaction manager "
                        + manager.get().getClass().getName()
                        + " begins no transactions of Howdah's data source; the one that does has to be the only or the"
                        + " primary one");
        }

        @Override
        public void afterCompletion(int status) {
            committed = status == STATUS_COMMITTED;
        }

        @SuppressWarnings("NullAway") // null only if T is
        T result() {
            return result;
        }
    }
}
