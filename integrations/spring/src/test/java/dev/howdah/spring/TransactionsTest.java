package dev.howdah.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Job;
import dev.howdah.job.Jobs;
import dev.howdah.job.JobsException;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobSummary;
import dev.howdah.job.workflow.Workflow;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Jobs in Spring's transactions, and handlers in transactions of jobs, with JDBC. */
@PostgresTest
class TransactionsTest {
    private static final Kind<Long> MAIL = Kind.of("mail", Long.class);
    private static final Kind<Long> BOOK = Kind.of("book", Long.class);
    private static final String JOBS = "SELECT count(*) FROM howdah.jobs";
    private static final String ORDERS = "SELECT count(*) FROM orders";

    private final TestDatabase database;

    TransactionsTest(TestDatabase database) {
        this.database = database;
    }

    /** What an application writes. */
    static class Shop {
        private final JdbcTemplate jdbc;
        private final Jobs jobs;
        private final List<String> seen = new CopyOnWriteArrayList<>();

        Shop(JdbcTemplate jdbc, Jobs jobs) {
            this.jdbc = jdbc;
            this.jobs = jobs;
        }

        @Transactional
        public void order(long id, boolean refuse) {
            jdbc.update("INSERT INTO orders VALUES (?)", id);
            NewJob<Long> later = NewJob.of(MAIL, id).queue("later");
            jobs.add(later);
            jobs.add(later.key("key " + id));
            jobs.addAll(List.of(later, later));
            jobs.addEach(List.of(later));
            jobs.addAsync(later).join();
            jobs.workflows().add(Workflow.of("w").job("first", later));
            if (refuse) throw new IllegalStateException("refused");
        }

        @Transactional(readOnly = true)
        public void look() {
            jobs.add(MAIL, 1L);
        }

        @Transactional(propagation = Propagation.SUPPORTS)
        public void without() {
            jobs.add(NewJob.of(MAIL, 1L).queue("later"));
        }

        /** Not the field, which a proxy of this class does not have. */
        public List<String> seen() {
            return seen;
        }

        @Transactional
        public void book(long id) {
            jdbc.update("INSERT INTO orders VALUES (?)", id);
        }
    }

    /** Writes in the job's transaction, as the rest of the application writes. */
    static class Books {
        private final Shop shop;
        private final Jobs jobs;

        Books(Shop shop, Jobs jobs) {
            this.shop = shop;
            this.jobs = jobs;
        }

        @JobHandler(value = "book", transactional = true, attempts = 2)
        void book(Long id, Job job, Connection connection) throws Exception {
            shop.book(id);
            jobs.add(NewJob.of(MAIL, id).queue("later"));
            try (var statement = connection.createStatement();
                    var row = statement.executeQuery(ORDERS)) {
                row.next();
                shop.seen().add("attempt " + job.attempt() + " sees " + row.getLong(1));
            }
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    shop.seen().add("committed");
                    throw new IllegalStateException("too late to fail");
                }
            });
            if (job.attempt() == 1 && id == 1) throw new IllegalStateException("first attempt");
            if (id == 3) connection.commit();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Shop.class, Books.class})
    static class Beans {}

    @Test
    void jobs_joinTheTransactionOfTheThread_andHandlersWriteExactlyOnce() throws Exception {
        database.execute("CREATE TABLE orders (id bigint)");
        try (ConfigurableApplicationContext application =
                Application.start(database, Beans.class, "spring.datasource.hikari.auto-commit=false")) {
            Jobs jobs = application.getBean(Jobs.class);
            Shop shop = application.getBean(Shop.class);

            assertThatThrownBy(() -> shop.order(1, true)).hasMessage("refused");
            assertThat(database.value(ORDERS)).isEqualTo("0");
            assertThat(database.value(JOBS)).isEqualTo("0");
            shop.order(1, false);
            assertThat(database.value(ORDERS)).isEqualTo("1");
            assertThat(database.value(JOBS)).isEqualTo("7");
            assertThatThrownBy(shop::look).isInstanceOf(JobsException.class).hasMessageContaining("it is read only");
            shop.without();
            assertThat(database.value(JOBS)).isEqualTo("8");

            database.execute("DELETE FROM orders");
            long first = jobs.add(BOOK, 1L);
            JobSummary done = jobs.await(first, Application.PATIENCE);
            assertThat(done.state()).as(done.toString()).isEqualTo(JobState.DONE);
            assertThat(done.attempt()).isEqualTo(2);
            assertThat(database.value(ORDERS)).isEqualTo("1");
            await("it is told after the commit")
                    .atMost(Application.PATIENCE)
                    .until(() -> shop.seen().contains("committed"));
            assertThat(shop.seen()).containsExactly("attempt 1 sees 1", "attempt 2 sees 1", "committed");
            assertThat(database.value(JOBS + " WHERE kind = 'mail'")).isEqualTo("9");

            long third = jobs.add(BOOK, 3L);
            assertThat(jobs.await(third, Application.PATIENCE).error()).contains("must not commit");
            assertThat(database.value(ORDERS)).isEqualTo("1");
        }
    }
}
