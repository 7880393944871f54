package dev.howdah.examples.desk;

import dev.howdah.job.Jobs;
import org.jdbi.v3.core.Jdbi;

/** With Jdbi. */
record JdbiDesk(Jdbi jdbi, Jobs jobs) {
    long place(String customer) {
        return jdbi.inTransaction(handle -> {
            long order = handle.createQuery("INSERT INTO orders (customer) VALUES (:customer) RETURNING id")
                    .bind("customer", customer)
                    .mapTo(Long.class)
                    .one();
            jobs.add(handle.getConnection(), Confirmation.KIND, new Confirmation(order));
            return order;
        });
    }
}
