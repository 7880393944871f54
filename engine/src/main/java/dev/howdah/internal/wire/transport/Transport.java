package dev.howdah.internal.wire.transport;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * Bytes to and from a server.
 *
 * @param raw closing this ends all waiting at once; closing a TLS socket would first wait for its turn to say so
 * @param socket the TCP socket that TLS can be put over; null for Unix sockets
 * @param tls the TLS socket, if the bytes go through one
 */
public record Transport(
        InputStream in,
        OutputStream out,
        Closeable raw,
        @Nullable Socket socket,
        @Nullable SSLSocket tls) implements Closeable {
    @Override
    public void close() throws IOException {
        raw.close();
    }
}
