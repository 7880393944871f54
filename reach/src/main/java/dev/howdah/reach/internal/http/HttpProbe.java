package dev.howdah.reach.internal.http;

import dev.howdah.reach.internal.call.Addresses;
import dev.howdah.reach.internal.call.Call;
import dev.howdah.reach.internal.call.Credential;
import dev.howdah.reach.internal.call.ReachFailure;
import dev.howdah.reach.internal.call.ReachFailure.Code;
import dev.howdah.reach.internal.call.Target;
import dev.howdah.reach.internal.probe.Connecting;
import dev.howdah.reach.internal.probe.ProbeSteps;
import dev.howdah.reach.internal.tls.TlsErrors;
import java.io.IOException;
import java.net.Socket;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.function.Function;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/** Connects to a host of requests without a request. Safe for use by many threads. */
final class HttpProbe {
    private final Addresses addresses;
    private final Function<@Nullable Credential, SSLContext> tls;

    HttpProbe(Addresses addresses, Function<@Nullable Credential, SSLContext> tls) {
        this.addresses = addresses;
        this.tls = tls;
    }

    void probe(Call call, ProbeSteps steps) throws ReachFailure, IOException {
        try (Socket socket = Connecting.connect(Connecting.lookUp(addresses, call, steps), call, steps)) {
            if (call.target().scheme().equals("https")) secure(call, socket, steps);
        }
        if (call.credential() != null)
            steps.skipped("login", "a request would have to be sent with \"" + call.credential() + "\"");
    }

    private void secure(Call call, Socket socket, ProbeSteps steps) throws ReachFailure, IOException {
        steps.begin("tls");
        Target target = call.target();
        Credential credential = call.credential();
        boolean shown = credential != null && credential.kind() == Credential.Kind.CERTIFICATE;
        SSLContext context = tls.apply(shown ? credential : null);
        try (SSLSocket secure =
                (SSLSocket) context.getSocketFactory().createSocket(socket, target.host(), target.port(), true)) {
            SSLParameters parameters = secure.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            parameters.setProtocols(new String[] {"TLSv1.3", "TLSv1.2"});
            secure.setSSLParameters(parameters);
            secure.startHandshake();
            steps.done(secure.getSession().getProtocol()
                    + certificate(secure.getSession().getPeerCertificates()));
        } catch (SSLException e) {
            throw ReachFailure.lasting(Code.NOT_SECURE, String.valueOf(TlsErrors.text(e)));
        }
    }

    private static String certificate(Certificate[] chain) {
        return chain.length > 0 && chain[0] instanceof X509Certificate first
                ? ", certificate valid until " + first.getNotAfter().toInstant()
                : "";
    }
}
