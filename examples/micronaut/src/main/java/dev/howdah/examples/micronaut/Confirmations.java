package dev.howdah.examples.micronaut;

import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Confirms orders. */
@Singleton
class Confirmations {
    private final DataSource source;

    Confirmations(DataSource source) {
        this.source = source;
    }

    /** In the transaction of the job. */
    @Transactional
    void confirm(long order, int attempt) throws SQLException {
        try (Connection connection = source.getConnection();
                PreparedStatement update =
                        connection.prepareStatement("UPDATE orders SET confirmed = confirmed + 1 WHERE id = ?")) {
            update.setLong(1, order);
            update.executeUpdate();
        }
        if (attempt == 1) throw new SQLException("the first attempt fails, and is rolled back");
    }
}
