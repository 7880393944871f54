package dev.howdah.job;

import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * What a node does for all nodes beside working jobs, and what makes it do so: a notification, or the statement that its
 * presence runs every two seconds. Safe for use by many threads.
 */
final class Errands implements AutoCloseable {
    /** Somebody has changed a schedule. */
    static final String SCHEDULE_CHANGED = "howdah_job_schedule";

    private static final long FIRST_SUMMARY_MILLIS = 10_000;

    private final Ticker ticker;
    private final Summary summary;
    private final Clerk clerk;

    Errands(DataSource source, Adder adder) {
        this.ticker = new Ticker(adder);
        this.summary = new Summary();
        this.clerk = new Clerk(source, ticker, summary);
    }

    void start() {
        clerk.start();
        clerk.callIn(summary, FIRST_SUMMARY_MILLIS);
    }

    /** Whether this notification is for them. */
    boolean heard(String channel) {
        if (!channel.equals(SCHEDULE_CHANGED)) return false;
        clerk.call(ticker);
        return true;
    }

    /** What the statement {@code watch} says, from this column on. */
    void watched(ResultSet row, int column) throws SQLException {
        long schedule = row.getLong(column);
        if (!row.wasNull()) clerk.callIn(ticker, schedule);
    }

    @Override
    public void close() {
        clerk.close();
    }
}
