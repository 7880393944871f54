package dev.howdah.reach.internal.mail;

import dev.howdah.reach.internal.call.Addresses;
import dev.howdah.reach.internal.call.Call;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import javax.net.SocketFactory;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Sockets of one call: each connects to an address of the call's target that was checked, and is closed when the call is cancelled. The
 * layer of TLS above them has the authorities that are trusted.
 */
final class PinnedSockets extends SSLSocketFactory {
    private final Addresses addresses;
    private final Call call;
    private final SSLSocketFactory tls;

    PinnedSockets(Addresses addresses, Call call, SSLSocketFactory tls) {
        this.addresses = addresses;
        this.call = call;
        this.tls = tls;
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
                InetAddress[] all = addresses.of(call.target().host(), call.privately());
                super.connect(new InetSocketAddress(all[0], call.target().port()), timeout);
            }
        };
        call.cancellation().onCancel(() -> {
            try {
                socket.close();
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
        return socket;
    }

    @Override
    public Socket createSocket(@Nullable Socket socket, String host, int port, boolean closes) throws IOException {
        return tls.createSocket(socket, call.target().host(), port, closes);
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
