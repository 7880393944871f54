package dev.howdah.examples.micronaut;

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
import javax.sql.DataSource;

/** Orders, each with a job that confirms it. */
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
        jobs.add(CONFIRM, order);
        if (customer.isBlank()) throw new IllegalArgumentException("an order needs a customer");
        return order;
    }

    /** In the transaction of the job, which also records that the job is done. */
    @JobHandler(value = "confirm", timeout = "30s", transactional = true)
    void confirm(long order, Job job, Connection connection) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE orders SET confirmed = confirmed + 1 WHERE id = ?")) {
            update.setLong(1, order);
            update.executeUpdate();
        }
        if (job.attempt() == 1) throw new SQLException("the first attempt fails, and is rolled back");
    }

    /** Once a day, on one node. */
    @Transactional
    @JobHandler("clean-up")
    @JobSchedule(cron = "${shop.clean-up:0 3 * * *}", zone = "Europe/Berlin")
    void cleanUp() throws SQLException {
        try (Connection connection = source.getConnection();
                PreparedStatement delete = connection.prepareStatement("DELETE FROM orders WHERE customer IS NULL")) {
            delete.executeUpdate();
        }
    }
}
