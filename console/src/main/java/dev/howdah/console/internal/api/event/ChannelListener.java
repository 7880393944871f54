package dev.howdah.console.internal.api.event;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiMask;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.run.Threads;
import dev.howdah.internal.text.Identifiers;
import dev.howdah.operations.Role;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Listens to channels of the user, with a session and a thread of its own, while a client wants that. Safe for use by many threads. */
final class ChannelListener implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ChannelListener.class);
    private static final long RETRY_MILLIS = 500;
    private static final int LISTEN_MILLIS = 1_000;
    private static final int SILENCE_MILLIS = 10_000;

    /** A client that comes again within this time has missed nothing. */
    private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final DataSource source;
    private final Set<String> names;
    private final ApiMask mask;
    private final Consumer<StateEvent> tell;
    private final CountDownLatch closed = new CountDownLatch(1);
    private boolean running;
    private boolean wanted;
    private long restSince;
    private boolean hadGap;

    ChannelListener(DataSource source, Set<String> names, ApiMask mask, Consumer<StateEvent> tell) {
        this.source = source;
        this.names = names;
        this.mask = mask;
        this.tell = tell;
    }

    /** A client wants to hear. */
    synchronized void listen() {
        wanted = true;
        if (running || closed.getCount() == 0) return;
        running = true;
        Threads.daemon("howdah-http-channels", this::run).start();
    }

    /** No client wants to hear. */
    synchronized void rest() {
        if (wanted) restSince = System.nanoTime();
        wanted = false;
    }

    private synchronized boolean isOver() {
        boolean over = closed.getCount() == 0 || !wanted && System.nanoTime() - restSince > REST_NANOS;
        if (over) running = false;
        return over;
    }

    private void run() {
        while (!isOver()) {
            try (DedicatedSession session = open()) {
                // What was sent before this session began to listen is lost.
                if (hadGap) names.forEach(this::many);
                hadGap = true;
                while (!isOver()) hear(session);
                return;
            } catch (SQLException | RuntimeException e) {
                Threads.survived(e);
                log.warn("the session that listens to channels for streams of events was lost: {}", e.getMessage());
            }
            try {
                if (closed.await(RETRY_MILLIS, TimeUnit.MILLISECONDS)) return;
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private DedicatedSession open() throws SQLException {
        DedicatedSession opened =
                new DedicatedSession(ConnectionSource.of(source).forListening().getConnection());
        try (Statement statement = opened.connection().createStatement()) {
            opened.endWhenSilent(SILENCE_MILLIS);
            for (String each : names) statement.execute("LISTEN " + Identifiers.quote(each));
            return opened;
        } catch (SQLException | RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    private long askedAt = System.nanoTime();

    private void hear(DedicatedSession session) throws SQLException {
        session.hear(LISTEN_MILLIS, this::tell);
        long now = System.nanoTime();
        if (now - askedAt < TimeUnit.MILLISECONDS.toNanos(SILENCE_MILLIS)) return;
        askedAt = now;
        // A server that is frozen, or cut off, ends no session: only a missing answer tells.
        if (!session.connection().isValid(SILENCE_MILLIS / 1_000))
            throw new SQLException("the server does not answer", "08006");
    }

    private void tell(String channel, String payload) {
        ObjectNode json = ApiJson.object().put("channel", channel);
        mask.text(json, "payload", payload, Role.VIEWER);
        tell.accept(new StateEvent(EventFilter.NOTIFY, ApiJson.text(json), Map.of("channel", List.of(channel))));
    }

    private void many(String channel) {
        tell.accept(ChangeReader.many(
                ApiJson.object().put("type", EventFilter.NOTIFY).put("channel", channel),
                Map.of("channel", List.of(channel))));
    }

    @Override
    public void close() {
        closed.countDown();
    }
}
