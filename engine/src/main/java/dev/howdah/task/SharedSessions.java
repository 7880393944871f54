package dev.howdah.task;

import dev.howdah.Database;
import dev.howdah.internal.doorbell.Doorbell;
import dev.howdah.internal.run.Threads;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sessions that the schedulers of one program share: for each database one that keeps the books of all its tables,
 * and one that listens for rings. They are opened by the first who needs them and end with the last. Safe for use by
 * many threads.
 */
final class SharedSessions {
    private static final Logger log = LoggerFactory.getLogger(SharedSessions.class);

    /** What there is for one database; its lock is held while a session is being opened. */
    private static final class Place {
        private @Nullable BooksSession books;
        private @Nullable Doorbell doorbell;
        private int listeners;
        private volatile int pid;
    }

    /** What is rung when nothing is wanted but a sign of life from the program that has this session. */
    static String pulse(int pid) {
        return "pulse " + pid;
    }

    /** Answers by a statement, in a thread of its own: the session may be busy. */
    private static void answer(Place place, String payload) {
        if (!payload.equals(pulse(place.pid))) return;
        Threads.daemon("howdah-pulse", () -> {
                    BooksSession session;
                    synchronized (place) {
                        session = place.books;
                    }
                    try {
                        if (session != null) session.pulse();
                    } catch (SQLException e) {
                        log.debug("no sign of life: {}", e.getMessage());
                    }
                })
                .start();
    }

    private final Map<Database, Place> places = new ConcurrentHashMap<>();
    private final Quotas quotas;

    /** @param quotas how many sessions there may be for tasks */
    SharedSessions(Quotas quotas) {
        this.quotas = quotas;
    }

    Quotas quotas() {
        return quotas;
    }

    private Place place(Database database) {
        return places.computeIfAbsent(database, d -> new Place());
    }

    /** The books of a table, which the caller closes. */
    Books open(Database database, TableName table) throws SQLException {
        Place place = place(database);
        synchronized (place) {
            BooksSession session = place.books;
            if (session == null || !session.join()) {
                session = BooksSession.open(database, "howdah " + table.schema() + " " + table.table());
                session.join();
                place.books = session;
                place.pid = session.pid();
            }
            return new Books(session, table);
        }
    }

    /** Somebody who listens for rings. */
    interface Listening extends AutoCloseable {
        /** Whether a ring would be heard now. */
        boolean now();

        /** Listens no more. */
        @Override
        void close();
    }

    /**
     * @param ring called with what was rung, which may be somebody else's, and with an empty text when something may have
     *     been missed; in a thread that has no time to wait
     */
    Listening listen(Database database, Consumer<String> ring) {
        Place place = place(database);
        Doorbell doorbell;
        synchronized (place) {
            doorbell = place.doorbell;
            if (doorbell == null) {
                doorbell = new Doorbell(database, "howdah_task");
                doorbell.add(payload -> answer(place, payload));
                doorbell.start();
                place.doorbell = doorbell;
            }
            place.listeners++;
            doorbell.add(ring);
        }
        Doorbell bell = doorbell;
        return new Listening() {
            @Override
            public boolean now() {
                return bell.listening();
            }

            @Override
            public void close() {
                bell.remove(ring);
                synchronized (place) {
                    if (--place.listeners > 0) return;
                    place.doorbell = null;
                }
                bell.close();
            }
        };
    }
}
