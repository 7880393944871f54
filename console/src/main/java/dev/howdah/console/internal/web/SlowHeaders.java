package dev.howdah.console.internal.web;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.AbstractConnector;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.jspecify.annotations.Nullable;

/**
 * Ends connections on which the headers of a request do not come to their end, however steadily their bytes come: each byte begins the
 * time anew in which nothing may be said. One address has a part of all connections, unless it is that of a proxy, which has many
 * clients. Safe for use by many threads.
 */
final class SlowHeaders implements Connection.Listener {
    /** In which all headers of a request have to be there, from its first byte on. */
    static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final long LOOK_MILLIS = 1_000;

    /** What is known of a connection whose request has not begun, or not ended its headers. */
    private static final class Seen {
        private long messages;
        private long bytes;
        private long since;

        Seen(long now) {
            since = now;
        }
    }

    private final AbstractConnector connector;
    private final int mostOfAnAddress;
    private final Predicate<String> isProxy;
    private final Map<HttpConnection, Seen> open = new ConcurrentHashMap<>();
    /** A connection that is closed does not know its address any more. */
    private final Map<Connection, InetAddress> from = new ConcurrentHashMap<>();

    private final Map<InetAddress, Integer> addresses = new ConcurrentHashMap<>();

    /** @param isProxy whether an address is that of a trusted proxy */
    SlowHeaders(AbstractConnector connector, int mostOfAnAddress, Predicate<String> isProxy) {
        this.connector = connector;
        this.mostOfAnAddress = mostOfAnAddress;
        this.isProxy = isProxy;
    }

    /** Begins to look. */
    void begin() {
        connector.getScheduler().schedule(this::look, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }

    @Override
    public void onOpened(Connection connection) {
        if (connection instanceof HttpConnection http) open.put(http, new Seen(System.nanoTime()));
        InetAddress address = address(connection);
        if (address == null) return;
        from.put(connection, address);
        int number = addresses.merge(address, 1, Integer::sum);
        if (number > mostOfAnAddress && !isProxy.test(address.getHostAddress()))
            connection.getEndPoint().close();
    }

    @Override
    public void onClosed(Connection connection) {
        if (connection instanceof HttpConnection http) open.remove(http);
        InetAddress address = from.remove(connection);
        if (address != null) addresses.computeIfPresent(address, (key, number) -> number > 1 ? number - 1 : null);
    }

    private static @Nullable InetAddress address(Connection connection) {
        SocketAddress address = connection.getEndPoint().getRemoteSocketAddress();
        return address instanceof InetSocketAddress internet ? internet.getAddress() : null;
    }

    private void look() {
        if (!connector.isRunning()) return;
        long now = System.nanoTime();
        open.forEach((connection, seen) -> {
            if (isLate(connection, seen, now)) connection.getEndPoint().close();
        });
        begin();
    }

    private static boolean isLate(HttpConnection connection, Seen seen, long now) {
        long messages = connection.getMessagesIn();
        long bytes = connection.getBytesIn();
        boolean isAnother = messages != seen.messages || !connection.getParser().inHeaderState();
        if (isAnother) {
            seen.messages = messages;
            seen.bytes = bytes;
        }
        // Nothing of its request has come: the usual time for silence counts.
        if (isAnother || bytes == seen.bytes) seen.since = now;
        return now - seen.since > MOST_NANOS;
    }
}
