package dev.howdah.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Job;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.query.JobState;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.annotation.Transactional;

/** Jobs in transactions of JPA, and handlers whose entities commit with the job. */
@PostgresTest
class JpaTest {
    private static final Kind<Long> MAIL = Kind.of("mail", Long.class);

    private final TestDatabase database;

    JpaTest(TestDatabase database) {
        this.database = database;
    }

    /** An entity. */
    @Entity
    @Table(name = "orders")
    static class Order {
        @Id
        private Long id = 0L;

        protected Order() {}

        Order(Long id) {
            this.id = id;
        }
    }

    /** What an application writes. */
    static class Shop {
        private final EntityManager entities;
        private final Jobs jobs;

        Shop(EntityManager entities, Jobs jobs) {
            this.entities = entities;
            this.jobs = jobs;
        }

        @Transactional
        public void order(long id, boolean refuse) {
            entities.persist(new Order(id));
            jobs.add(NewJob.of(MAIL, id).queue("later"));
            if (refuse) throw new IllegalStateException("refused");
        }

        @JobHandler(value = "book", transactional = true)
        public void book(Long id, Job job) {
            entities.persist(new Order(id));
            entities.flush();
            if (job.attempt() == 1) throw new IllegalStateException("first attempt");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @AutoConfigurationPackage(basePackageClasses = Order.class)
    @Import(Shop.class)
    static class Beans {}

    @Test
    void jobs_joinTransactionsOfJpa_andEntitiesCommitWithTheJob() throws Exception {
        database.execute("CREATE TABLE orders (id bigint PRIMARY KEY)");
        try (ConfigurableApplicationContext application = Application.startWithJpa(database, Beans.class)) {
            Jobs jobs = application.getBean(Jobs.class);
            Shop shop = application.getBean(Shop.class);
            assertThatThrownBy(() -> shop.order(1, true)).hasMessage("refused");
            shop.order(2, false);
            assertThat(database.value("SELECT string_agg(id::text, ',') FROM orders"))
                    .isEqualTo("2");
            assertThat(database.value("SELECT string_agg(payload::text, ',') FROM howdah.jobs WHERE kind = 'mail'"))
                    .isEqualTo("2");
            long book = jobs.add(Kind.of("book", Long.class), 3L);
            var done = jobs.await(book, Application.PATIENCE);
            assertThat(done.state()).as(done.toString()).isEqualTo(JobState.DONE);
            assertThat(done.attempt()).isEqualTo(2);
            assertThat(database.value("SELECT string_agg(id::text, ',' ORDER BY id) FROM orders"))
                    .isEqualTo("2,3");
        }
    }
}
