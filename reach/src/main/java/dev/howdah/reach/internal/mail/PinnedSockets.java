package dev.howdah.reach.internal.mail;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.SocketFactory;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Sockets of one connection: each connects to an address that was checked, and all are closed together. The layer of TLS above them has
 * the authorities that are trusted. Safe for use by many threads.
 */
final class PinnedSockets extends SSLSocketFactory {
    private final InetSocketAddress address;
    private final String host;
    private final SSLSocketFactory tls;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private volatile boolean closed;

    /** @param host the name in the certificate */
    PinnedSockets(InetSocketAddress address, String host, SSLSocketFactory tls) {
        this.address = address;
        this.host = host;
        this.tls = tls;
    }

    /** So long each answer may take from now on; 0 for ever. */
    void answerWithin(int millis) {
        for (Socket each : sockets)
            try {
                if (!each.isClosed()) each.setSoTimeout(millis);
            } catch (SocketException e) {
                // It is gone.
            }
    }

    void close() {
        closed = true;
        for (Socket each : sockets)
            try {
                each.close();
            } catch (IOException e) {
                // It is gone.
            }
    }

    /** The same for a connection that begins without TLS. */
    SocketFactory withoutTls() {
        PinnedSockets all = this;
        return new SocketFactory() {
            @Override
            public Socket createSocket() {
                return all.createSocket();
            }

            @Override
            public Socket createSocket(String host, int port) throws IOException {
                return all.createSocket(host, port);
            }

            @Override
            public Socket createSocket(String host, int port, InetAddress local, int localPort) throws IOException {
                return all.createSocket(host, port, local, localPort);
            }

            @Override
            public Socket createSocket(InetAddress host, int port) throws IOException {
                return all.createSocket(host, port);
            }

            @Override
            public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort)
                    throws IOException {
                return all.createSocket(host, port, local, localPort);
            }
        };
    }

    @Override
    public Socket createSocket() {
        Socket socket = new Socket() {
            @Override
            public void connect(SocketAddress ignored, int timeout) throws IOException {
                super.connect(address, timeout);
                setTcpNoDelay(true);
            }

            @Override
            public InputStream getInputStream() throws IOException {
                return new BoundedAnswers(super.getInputStream());
            }
        };
        sockets.add(socket);
        if (closed) close();
        return socket;
    }

    @Override
    public Socket createSocket(@Nullable Socket socket, String host, int port, boolean closes) throws IOException {
        return tls.createSocket(socket, this.host, port, closes);
    }

    @Override
    public String[] getDefaultCipherSuites() {
        return tls.getDefaultCipherSuites();
    }

    @Override
    public String[] getSupportedCipherSuites() {
        return tls.getSupportedCipherSuites();
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        throw new UnknownHostException(host);
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort) throws IOException {
        throw new UnknownHostException(host);
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        throw new UnknownHostException(String.valueOf(host));
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) throws IOException {
        throw new UnknownHostException(String.valueOf(host));
    }
}
