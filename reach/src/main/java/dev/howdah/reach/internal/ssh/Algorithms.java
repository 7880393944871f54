package dev.howdah.reach.internal.ssh;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.apache.sshd.client.ClientBuilder;
import org.apache.sshd.client.session.ClientSession;
import org.apache.sshd.common.AttributeRepository;
import org.apache.sshd.common.NamedFactory;
import org.apache.sshd.common.kex.BuiltinDHFactories;
import org.apache.sshd.common.kex.KeyExchangeFactory;
import org.apache.sshd.common.session.Session;
import org.apache.sshd.common.session.SessionListener;
import org.apache.sshd.common.signature.Signature;

/** What a host is offered: first the kinds of keys by which it is known, and what is weak today only where it is named as such. */
final class Algorithms implements SessionListener {
    /** All that routers of some years ago know, but for what is broken. */
    private static final String LEGACY_EXCHANGE = "diffie-hellman-group14-sha1";

    private final KnownHosts knownHosts;

    Algorithms(KnownHosts knownHosts) {
        this.knownHosts = knownHosts;
    }

    /** Before anything is sent. */
    @Override
    public void sessionCreated(Session session) {
        AttributeRepository context = session instanceof ClientSession each ? each.getConnectionContext() : null;
        KnownHosts.Host host = context == null ? null : context.getAttribute(KnownHosts.HOST);
        if (host == null) return;
        Set<String> types = knownHosts.types(host);
        List<NamedFactory<Signature>> signatures = new ArrayList<>(session.getSignatureFactories());
        // Hosts are known by their keys; a certificate would hide the key.
        signatures.removeIf(each -> each.getName().contains("-cert-"));
        signatures.sort(Comparator.comparing(each -> !types.contains(keyType(each.getName()))));
        session.setSignatureFactories(signatures);
        if (!host.legacy()) return;
        List<KeyExchangeFactory> exchanges = new ArrayList<>(session.getKeyExchangeFactories());
        exchanges.add(ClientBuilder.DH2KEX.apply(BuiltinDHFactories.resolveFactory(LEGACY_EXCHANGE)));
        session.setKeyExchangeFactories(exchanges);
    }

    /** That of the key that signs so. */
    private static String keyType(String signature) {
        return signature.startsWith("rsa-sha2-") ? "ssh-rsa" : signature;
    }
}
