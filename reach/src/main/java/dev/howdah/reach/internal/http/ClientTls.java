package dev.howdah.reach.internal.http;

import dev.howdah.reach.internal.call.Credential;
import java.io.IOException;
import java.net.Socket;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.apache.hc.client5.http.ssl.DefaultClientTlsStrategy;
import org.apache.hc.client5.http.ssl.TlsSocketStrategy;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.jspecify.annotations.Nullable;

/**
 * TLS with the certificate of the request's credential, if it is one. Each has a context of its own, so that no session of TLS is resumed by
 * a request without it. Safe for use by many threads.
 */
final class ClientTls implements TlsSocketStrategy {
    /** Credentials that were read again are other ones; more than this many are not in use at a time. */
    private static final int MOST = 100;

    private final Function<@Nullable Credential, SSLContext> contexts;
    private final TlsSocketStrategy plain;
    private final Map<Credential, TlsSocketStrategy> withCertificate = new ConcurrentHashMap<>();

    ClientTls(Function<@Nullable Credential, SSLContext> contexts) {
        this.contexts = contexts;
        this.plain = new DefaultClientTlsStrategy(contexts.apply(null));
    }

    @Override
    public SSLSocket upgrade(Socket socket, String target, int port, @Nullable Object attachment, HttpContext context)
            throws IOException {
        Credential credential = HttpScheme.credential(context);
        TlsSocketStrategy strategy =
                credential != null && credential.kind() == Credential.Kind.CERTIFICATE ? of(credential) : plain;
        return strategy.upgrade(socket, target, port, attachment, context);
    }

    private TlsSocketStrategy of(Credential credential) {
        if (withCertificate.size() > MOST) withCertificate.clear();
        return withCertificate.computeIfAbsent(credential, each -> new DefaultClientTlsStrategy(contexts.apply(each)));
    }
}
