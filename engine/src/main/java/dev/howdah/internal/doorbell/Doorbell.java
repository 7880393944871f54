package dev.howdah.internal.doorbell;

import dev.howdah.Database;
import dev.howdah.internal.conninfo.PromptSockets;
import dev.howdah.internal.run.Threads;
import dev.howdah.internal.sql.Identifiers;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
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
    private static final Duration WATCH = Duration.ofSeconds(10);

    /** A question to ask from time to time, and who is told when the answer has changed. */
    private record Watch(String question, Runnable changed) {}

    private final Database database;
    private final String channel;
    private final Set<Consumer<String>> listeners = new CopyOnWriteArraySet<>();
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile @Nullable Watch watch;
    private @Nullable String answer;
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

    /**
     * Also asks a question every ten seconds.
     *
     * @param question SQL that answers with one text
     * @param changed called in the thread of the doorbell when the answer is not what it was
     */
    public void watch(String question, Runnable changed) {
        watch = new Watch(question, changed);
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
        properties.setProperty(PromptSockets.WANTED, "true");
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
        long watchedAt = System.nanoTime() - WATCH.toNanos();
        while (closed.getCount() > 0) {
            if (System.nanoTime() - watchedAt >= WATCH.toNanos()) {
                ask(opened);
                watchedAt = System.nanoTime();
            }
            long left = WATCH.toNanos() - (System.nanoTime() - watchedAt);
            PGNotification[] rings = notified.getNotifications((int) Math.max(left / 1_000_000, 1));
            for (PGNotification each : rings) ring(each.getParameter());
        }
    }

    private void ask(Connection opened) throws SQLException {
        Watch asked = watch;
        if (asked == null) return;
        opened.setNetworkTimeout(Runnable::run, LISTEN_MILLIS);
        try (Statement statement = opened.createStatement();
                ResultSet row = statement.executeQuery(asked.question())) {
            row.next();
            opened.setNetworkTimeout(Runnable::run, 0);
            String now = String.valueOf(row.getString(1));
            boolean changed = answer != null && !now.equals(answer);
            answer = now;
            if (changed) asked.changed().run();
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
