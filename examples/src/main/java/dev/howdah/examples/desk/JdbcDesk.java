package dev.howdah.examples.desk;

import dev.howdah.job.Jobs;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

/** With JDBC alone. */
record JdbcDesk(DataSource source, Jobs jobs) {
    long place(String customer) throws SQLException {
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            long order = insert(connection, customer);
            jobs.add(connection, Confirmation.KIND, new Confirmation(order));
            connection.commit();
            return order;
        }
    }

    private static long insert(Connection connection, String customer) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("INSERT INTO orders (customer) VALUES (?) RETURNING id")) {
            statement.setString(1, customer);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }
}
