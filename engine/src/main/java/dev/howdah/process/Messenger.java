package dev.howdah.process;

import dev.howdah.internal.run.Threads;
import dev.howdah.internal.sql.KeptSession;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.spi.PayloadCodec;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries the notices of one namespace from the outbox to its publisher, in their order, and removes those that have arrived.
 * Of all nodes one does so at a time: the one whose session holds the lock.
 */
final class Messenger implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Messenger.class);
    private static final SqlFile OUTBOX = SqlFile.of(Messenger.class, "outbox.sql");
    private static final Sql LOCK = OUTBOX.statement("lock");
    private static final Sql NEXT = OUTBOX.statement("next");
    private static final Sql ARRIVED = OUTBOX.statement("arrived");
    private static final int MOST = 500;
    private static final long NAP_MILLIS = 100;
    private static final long FIRST_PAUSE_MILLIS = 1_000;
    private static final long LONGEST_PAUSE_MILLIS = 30_000;

    private final DataSource source;
    private final Served served;
    private final Publisher publisher;
    private final PayloadCodec codec;
    private final Thread thread;
    private volatile boolean closed;

    Messenger(DataSource source, Served served, Publisher publisher, PayloadCodec codec) {
        this.source = source;
        this.served = served;
        this.publisher = publisher;
        this.codec = codec;
        this.thread = Threads.daemon("howdah-process-messenger", this::work);
    }

    void start() {
        thread.start();
    }

    private void work() {
        long pause = FIRST_PAUSE_MILLIS;
        while (!closed) {
            try (KeptSession session = new KeptSession(source.getConnection())) {
                boolean mine = false;
                while (!closed) {
                    if (!mine) mine = mayPublish(session);
                    if (!mine) TimeUnit.MILLISECONDS.sleep(FIRST_PAUSE_MILLIS);
                    else if (carry(session) == 0) TimeUnit.MILLISECONDS.sleep(NAP_MILLIS);
                    pause = FIRST_PAUSE_MILLIS;
                }
            } catch (InterruptedException e) {
                return;
            } catch (Exception e) {
                if (closed) return;
                log.warn(
                        "notices of {} are told again in {} ms: {}",
                        served.namespace().name(),
                        pause,
                        e.toString());
                try {
                    TimeUnit.MILLISECONDS.sleep(pause);
                } catch (InterruptedException interrupted) {
                    return;
                }
                pause = Math.min(pause * 2, LONGEST_PAUSE_MILLIS);
            }
        }
    }

    private boolean mayPublish(KeptSession session) throws SQLException {
        try (ResultSet row = session.query(LOCK, served.id())) {
            return row.next() && row.getBoolean(1);
        }
    }

    private int carry(KeptSession session) throws Exception {
        List<Notice> notices = new ArrayList<>();
        try (ResultSet row = session.query(NEXT, served.id(), MOST)) {
            while (row.next()) notices.add(notice(row));
        }
        if (notices.isEmpty()) return 0;
        long began = System.nanoTime();
        publisher.publish(List.copyOf(notices));
        told(notices, System.nanoTime() - began);
        session.update(ARRIVED, (Object) notices.stream().map(Notice::id).toArray(Long[]::new));
        return notices.size();
    }

    private void told(List<Notice> notices, long nanos) {
        for (boolean events : new boolean[] {true, false})
            if (notices.stream().anyMatch(each -> (each.kind() == Notice.Kind.EVENT) == events))
                served.meter().told(events, nanos);
    }

    private Notice notice(ResultSet row) throws SQLException {
        byte[] payload = row.getBytes(7);
        return new Notice(
                row.getLong(1),
                served.namespace().name(),
                row.getString(2),
                Notice.Kind.valueOf(row.getString(3).toUpperCase(Locale.ROOT)),
                Rows.time(row, 4),
                Rows.longOrNull(row, 5),
                row.getString(6),
                payload == null ? null : Payload.of(payload, codec),
                Rows.json(row, 8, codec));
    }

    /** Tells no more; what is being told may be told again. */
    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        try {
            thread.join(TimeUnit.SECONDS.toMillis(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
