package dev.howdah.internal.doorbell;

import dev.howdah.Database;
import dev.howdah.internal.conninfo.PromptSockets;
import dev.howdah.internal.run.Threads;
import dev.howdah.internal.text.Identifiers;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens for rings on one channel, with a session and a thread of its own; opens the session again when it is lost, or when the
 * server has not answered for a while. Safe for use by many threads.
 */
public final class Doorbell implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Doorbell.class);
    private static final long RETRY_MILLIS = 500;
    private static final int LISTEN_MILLIS = 10_000;
    private static final Duration WATCH = Duration.ofSeconds(10);

    /** Longer payloads are not looked at: no listener knows any. */
    private static final int LONGEST_PAYLOAD = 100;

    /** More notifications than this within {@link #RATE_WINDOW} are a flood: between two reads there is a pause. */
    private static final int FLOOD = 200;

    private static final Duration RATE_WINDOW = Duration.ofMillis(100);
    private static final long FLOOD_PAUSE_MILLIS = 5;

    /** A listener, and which payloads it is called with. */
    private record Listener(Predicate<String> knows, Consumer<String> ring) {}

    /** A question to ask from time to time, and the listener to call when the answer has changed. */
    private record Watch(String question, Runnable changed) {}

    private final Database database;
    private final String channel;
    private final Set<Listener> listeners = new CopyOnWriteArraySet<>();
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile @Nullable Watch watch;
    private @Nullable String answer;
    private long windowBegan = System.nanoTime();
    private long inWindow;
    private volatile boolean listening;
    private volatile @Nullable Connection connection;

    public Doorbell(Database database, String channel) {
        this.database = database;
        this.channel = channel;
    }

    /**
     * Adds a listener. Any role that may connect can send any payload, as often as it likes: a listener is called once
     * for all notifications of the same payload that have arrived together, and only for payloads that it knows.
     *
     * @param knows whether the listener wants to hear of a payload; cheap, as it is asked for each notification
     * @param ring called with the payload, in the thread of the doorbell; and with an empty text when a session has just
     *     begun to listen, because something may have been missed, or has been lost
     */
    public void add(Predicate<String> knows, Consumer<String> ring) {
        listeners.add(new Listener(knows, ring));
        if (listening) ring.accept("");
    }

    /** That one is not called any more, or just once. */
    public void remove(Consumer<String> ring) {
        listeners.removeIf(each -> each.ring() == ring);
    }

    private void ringAll() {
        listeners.forEach(each -> each.ring().accept(""));
    }

    /** Tells each listener of the payloads that it knows, once of each. */
    private void ring(PGNotification[] notifications) {
        Set<String> known = new LinkedHashSet<>();
        for (PGNotification each : notifications) {
            String payload = each.getParameter();
            if (payload.length() <= LONGEST_PAYLOAD && !known.contains(payload) && isKnown(payload)) known.add(payload);
        }
        for (String payload : known)
            for (Listener each : listeners)
                if (each.knows().test(payload)) each.ring().accept(payload);
    }

    private boolean isKnown(String payload) {
        for (Listener each : listeners) if (each.knows().test(payload)) return true;
        return false;
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
        Threads.loop("howdah-doorbell", this::listenForEver).start();
        return this;
    }

    /** Returns whether a ring would be heard now. */
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
                if (closed.getCount() > 0 && listening)
                    log.warn("the session that listens on channel {} was lost: {}", channel, e.getMessage());
            } catch (RuntimeException | Error e) {
                log.error("listening on channel {} begins again after an error", channel, e);
                Threads.survived(e);
            }
            listening = false;
            ringAll();
            pause(RETRY_MILLIS);
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
        ringAll();
        PGConnection notified = opened.unwrap(PGConnection.class);
        long watchedAt = System.nanoTime() - WATCH.toNanos();
        while (closed.getCount() > 0) {
            if (System.nanoTime() - watchedAt >= WATCH.toNanos()) {
                ask(opened);
                watchedAt = System.nanoTime();
            }
            long left = WATCH.toNanos() - (System.nanoTime() - watchedAt);
            // Not with a timeout of 1 ms, which is a question to PromptSockets and ends at once.
            PGNotification[] rings = notified.getNotifications((int) Math.max(left / 1_000_000, 2));
            ring(rings);
            if (isFlood(rings.length)) pause(FLOOD_PAUSE_MILLIS);
        }
    }

    private boolean isFlood(int arrived) {
        long now = System.nanoTime();
        if (now - windowBegan > RATE_WINDOW.toNanos()) {
            windowBegan = now;
            inWindow = 0;
        }
        inWindow += arrived;
        return inWindow > FLOOD;
    }

    private void ask(Connection opened) throws SQLException {
        Watch asked = watch;
        if (asked == null) {
            // A server that is frozen, or cut off, ends no session: only a missing answer tells.
            if (!opened.isValid(LISTEN_MILLIS / 1000))
                throw new SQLException("no answer within " + LISTEN_MILLIS / 1000 + " s", "08006");
            return;
        }
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

    private void pause(long millis) {
        try {
            if (closed.await(millis, TimeUnit.MILLISECONDS)) return;
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
