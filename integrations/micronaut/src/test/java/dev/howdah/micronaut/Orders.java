package dev.howdah.micronaut;

import dev.howdah.beans.JobHandler;
import dev.howdah.beans.JobSchedule;
import dev.howdah.job.Job;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** Adds jobs and handles them. */
@Singleton
class Orders {
    static final Kind<Long> CONFIRM = Kind.of("confirm", Long.class);

    private final DataSource source;
    private final Jobs jobs;

    Orders(DataSource source, Jobs jobs) {
        this.source = source;
        this.jobs = jobs;
    }

    /** The order and its job are committed together, or neither is. */
    @Transactional
    long place(String customer) throws SQLException {
        long order;
        try (Connection connection = source.getConnection();
                PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO orders (customer) VALUES (?) RETURNING id")) {
            insert.setString(1, customer);
            try (ResultSet row = insert.executeQuery()) {
                row.next();
                order = row.getLong(1);
            }
        }
        long job = jobs.add(CONFIRM, order);
        if (customer.isBlank()) throw new IllegalArgumentException("an order needs a customer");
        return job;
    }

    @JobHandler(value = "confirm", transactional = true)
    @Transactional
    void confirm(long order, Job job, Connection connection) throws SQLException {
        try (Statement update = connection.createStatement()) {
            update.execute("UPDATE orders SET confirmed = confirmed + 1 WHERE id = " + order);
        }
        if (job.attempt() == 1) throw new IllegalStateException("the first attempt fails, and is rolled back");
    }

    @JobHandler("digest")
    @JobSchedule(every = "${digest.every:1h}")
    void digest() {}
}
