package dev.howdah.internal.doorbell;

import dev.howdah.Database;
import dev.howdah.internal.run.Threads;
import dev.howdah.internal.sql.Identifiers;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens for rings on one channel, with a session and a thread of its own; opens the session again when it is lost.
 * Safe for use by many threads.
 */
public final class Doorbell implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Doorbell.class);
    private static final long RETRY_MILLIS = 500;
    private static final int LISTEN_MILLIS = 10_000;

    private final Database database;
    private final String channel;
    private final Set<Consumer<String>> listeners = new CopyOnWriteArraySet<>();
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile boolean listening;
    private volatile @Nullable Connection connection;

    public Doorbell(Database database, String channel) {
        this.database = database;
        this.channel = channel;
    }

    /**
     * @param ring called with the payload of each ring, in the thread of the doorbell; and with an empty text when a
     *     session has just begun to listen, because something may have been missed, or has been lost
     */
    public void add(Consumer<String> ring) {
        listeners.add(ring);
        if (listening) ring.accept("");
    }

    /** That one is not called any more, or just once. */
    public void remove(Consumer<String> ring) {
        listeners.remove(ring);
    }

    private void ring(String payload) {
        listeners.forEach(each -> each.accept(payload));
    }

    /** Begins to listen, in the background. */
    public Doorbell start() {
        Threads.daemon("howdah-doorbell", this::listenForEver).start();
        return this;
    }

    /** Whether a ring would be heard now. */
    public boolean listening() {
        return listening;
    }

    private void listenForEver() {
        while (closed.getCount() > 0) {
            try (Connection opened = open()) {
                connection = opened;
                if (closed.getCount() == 0) return;
                listen(opened);
            } catch (SQLException e) {
                if (closed.getCount() > 0 && listening) log.warn("the listening session was lost: {}", e.getMessage());
            }
            listening = false;
            ring("");
            pause();
        }
    }

    private Connection open() throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("ApplicationName", "howdah doorbell");
        return database.connect(properties);
    }

    private void listen(Connection opened) throws SQLException {
        try (Statement statement = opened.createStatement()) {
            opened.setNetworkTimeout(Runnable::run, LISTEN_MILLIS);
            statement.execute("LISTEN " + Identifiers.quote(channel));
        }
        opened.setNetworkTimeout(Runnable::run, 0);
        listening = true;
        ring("");
        PGConnection notified = opened.unwrap(PGConnection.class);
        while (closed.getCount() > 0) {
            PGNotification[] rings = notified.getNotifications(0);
            for (PGNotification each : rings) ring(each.getParameter());
        }
    }

    private void pause() {
        try {
            if (closed.await(RETRY_MILLIS, TimeUnit.MILLISECONDS)) return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Stops listening; idempotent. */
    @Override
    public void close() {
        closed.countDown();
        listening = false;
        Connection open = connection;
        if (open == null) return;
        try {
            open.abort(Runnable::run);
        } catch (SQLException e) {
            log.debug("closing the listening session: {}", e.getMessage());
        }
    }
}
