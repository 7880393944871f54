package dev.howdah.benchmarks.faults;

import dev.howdah.Database;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Others who hold every connection that they can get. */
final class Squatters implements AutoCloseable {
    private final Database database;
    private final List<Connection> held = new ArrayList<>();

    Squatters(Database database) {
        this.database = database.with("application_name", "squatter");
    }

    void fill() {
        try {
            while (true) held.add(database.connect());
        } catch (SQLException full) {
            // That was the last one.
        }
    }

    /** Takes whatever becomes free for so long. */
    void fill(long millis) {
        long until = System.nanoTime() + millis * 1_000_000;
        while (System.nanoTime() < until) {
            fill();
            LockSupport.parkNanos(20_000_000);
        }
    }

    int held() {
        return held.size();
    }

    @Override
    public void close() throws SQLException {
        for (Connection each : held) each.close();
    }
}
