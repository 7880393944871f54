package dev.howdah.examples.shop;

import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import java.util.List;
import java.util.Objects;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Orders and their confirmations. */
@Service
class Orders {
    static final Kind<Confirmation> CONFIRM = Kind.of("confirm", Confirmation.class);

    private final JdbcTemplate jdbc;
    private final Jobs jobs;

    Orders(JdbcTemplate jdbc, Jobs jobs) {
        this.jdbc = jdbc;
        this.jobs = jobs;
    }

    /** An order with its state. */
    record Order(long id, String customer, String state) {}

    /** The order and its job are committed together, or neither is. */
    @Transactional
    public long place(String customer) {
        Long id = jdbc.queryForObject("INSERT INTO orders (customer) VALUES (?) RETURNING id", Long.class, customer);
        long order = Objects.requireNonNull(id, "an INSERT returns the id");
        jobs.add(CONFIRM, new Confirmation(order));
        if (customer.isBlank()) throw new IllegalArgumentException("an order needs a customer");
        return order;
    }

    List<Order> newest() {
        return jdbc.query(
                "SELECT id, customer, state FROM orders ORDER BY id DESC LIMIT 20",
                (row, number) -> new Order(row.getLong("id"), row.getString("customer"), row.getString("state")));
    }
}
