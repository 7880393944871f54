package dev.howdah.internal.wire;

import dev.howdah.Database;
import dev.howdah.internal.wire.transport.Transport;
import java.io.IOException;
import java.net.Socket;
import java.security.cert.CertificateException;
import java.util.Objects;
import java.util.Properties;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.postgresql.ssl.LibPQFactory;
import org.postgresql.ssl.PGjdbcHostnameVerifier;
import org.postgresql.util.PSQLException;

/** Puts TLS over a connection, with pgjdbc's reading of libpq's certificate files and rules for host names. */
final class TlsUpgrade {
    private static final int SSL_REQUEST = 80877103;

    private final Database database;
    private final String mode;

    TlsUpgrade(Database database) {
        this.database = database;
        this.mode = database.sslMode();
    }

    /**
     * Asks the server for TLS and shakes hands.
     *
     * @return the new transport, or null if the server has no TLS to offer
     */
    @Nullable
    Transport upgrade(Transport plain, String host) throws IOException {
        Socket socket = Objects.requireNonNull(plain.socket(), "TLS needs TCP");
        MessageWriter writer = new MessageWriter(plain.out());
        writer.beginUntyped().int32(SSL_REQUEST).end().flush();
        // One byte and no more: whatever follows in the clear must not be taken for a part of the secured talk.
        int answer = plain.in().read();
        if (answer == 'N') return null;
        if (answer != 'S')
            throw new SSLException(
                    answer < 0
                            ? "the server closed the connection when asked for TLS"
                            : "no answer to the question for TLS");
        SSLSocket tls = handshake(socket, host);
        return new Transport(tls.getInputStream(), tls.getOutputStream(), plain.raw(), null, tls);
    }

    private SSLSocket handshake(Socket socket, String host) throws IOException {
        try {
            LibPQFactory factory = new LibPQFactory(properties());
            SSLSocket tls = (SSLSocket) factory.createSocket(socket, host, socket.getPort(), true);
            tls.setUseClientMode(true);
            tls.startHandshake();
            factory.throwKeyManagerException();
            if (mode.equals("verify-full") && !PGjdbcHostnameVerifier.INSTANCE.verify(host, tls.getSession()))
                throw new SSLException("the server's certificate is not for host \"" + host + "\"");
            return tls;
        } catch (SSLHandshakeException e) {
            if (!(e.getCause() instanceof CertificateException)) throw e;
            Throwable deepest = e.getCause();
            while (deepest.getCause() != null) deepest = deepest.getCause();
            throw new SSLException("the server's certificate cannot be trusted: " + deepest.getMessage(), e);
        } catch (PSQLException e) {
            throw new SSLException(Objects.requireNonNullElse(e.getMessage(), "TLS failed"), e);
        }
    }

    private Properties properties() {
        Properties properties = new Properties();
        properties.setProperty("sslmode", mode);
        for (String keyword : new String[] {"sslrootcert", "sslcert", "sslkey", "sslpassword"}) {
            String value = database.parameter(keyword);
            if (value != null) properties.setProperty(keyword, value);
        }
        if ("disable".equals(database.parameter("sslcertmode"))) {
            // Empty names, for without any the files in the home directory would be taken.
            properties.setProperty("sslcert", "");
            properties.setProperty("sslkey", "");
        }
        return properties;
    }
}
