package dev.howdah.examples.desk;

import dev.howdah.job.Jobs;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import org.hibernate.SessionFactory;
import org.jspecify.annotations.Nullable;

/** With Hibernate, and with JPA: {@code entityManager.unwrap(Session.class).doWork(...)}. */
record HibernateDesk(SessionFactory sessions, Jobs jobs) {
    @Entity
    @Table(name = "orders")
    static class Order {
        @Id
        @GeneratedValue(strategy = GenerationType.IDENTITY)
        @Nullable
        Long id;

        String customer = "";
    }

    long place(String customer) {
        return sessions.fromTransaction(session -> {
            Order order = new Order();
            order.customer = customer;
            session.persist(order);
            long id = order.id == null ? 0 : order.id;
            session.doWork(connection -> jobs.add(connection, Confirmation.KIND, new Confirmation(id)));
            return id;
        });
    }
}
