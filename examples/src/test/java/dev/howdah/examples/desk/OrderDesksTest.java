package dev.howdah.examples.desk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;
import org.jdbi.v3.core.Jdbi;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each desk over a pool with autocommit off, and on: its order and job are there together, or neither is. */
@PostgresTest
@Tag("long")
class OrderDesksTest {
    /** Places an order, and returns its id. */
    private interface Desk {
        long place(String customer) throws Exception;
    }

    private final TestDatabase database;

    OrderDesksTest(TestDatabase database) {
        this.database = database;
    }

    private HikariDataSource pool(boolean autoCommit) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:postgresql://127.0.0.1:" + database.server().port() + "/" + database.name());
        config.setUsername("postgres");
        config.setMaximumPoolSize(5);
        config.setAutoCommit(autoCommit);
        return new HikariDataSource(config);
    }

    private static SessionFactory hibernate(HikariDataSource pool) {
        Configuration configuration = new Configuration().addAnnotatedClass(HibernateDesk.Order.class);
        configuration.getProperties().put("hibernate.connection.datasource", pool);
        return configuration.buildSessionFactory();
    }

    private void check(Desk desk) throws Exception {
        database.execute("TRUNCATE orders");
        database.execute("DELETE FROM howdah_internal.job");
        long order = desk.place("ann");
        // The constraint is checked at the commit, behind the job.
        assertThatThrownBy(() -> desk.place("nobody")).hasStackTraceContaining("no order of nobody");
        assertThat(database.value("SELECT string_agg(id || ' ' || customer, ', ') FROM orders"))
                .isEqualTo(order + " ann");
        assertThat(database.value("SELECT string_agg(payload::text, ', ') FROM howdah_internal.job"))
                .isEqualTo("{\"order\":" + order + "}");
    }

    @Test
    void order_andItsJob_areCommittedTogether_byEachLibrary() throws Exception {
        database.execute("CREATE TABLE orders (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, customer text)");
        database.execute("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
                + " $$BEGIN RAISE EXCEPTION 'no order of %', NEW.customer; END$$");
        database.execute("CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON orders DEFERRABLE INITIALLY DEFERRED"
                + " FOR EACH ROW WHEN (NEW.customer = 'nobody') EXECUTE FUNCTION refuse()");
        for (boolean autoCommit : new boolean[] {false, true}) {
            try (HikariDataSource pool = pool(autoCommit);
                    Jobs jobs = Jobs.on(pool).start();
                    SessionFactory sessions = hibernate(pool)) {
                check(new JdbcDesk(pool, jobs)::place);
                check(new JooqDesk(DSL.using(pool, SQLDialect.POSTGRES), jobs)::place);
                // With autocommit off Jdbi takes a connection for one in a transaction of others, and commits nothing.
                if (autoCommit) check(new JdbiDesk(Jdbi.create(pool), jobs)::place);
                check(new HibernateDesk(sessions, jobs)::place);
            }
        }
    }
}
