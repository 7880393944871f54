package dev.howdah.reach.internal.ssh;

import dev.howdah.reach.internal.secret.SecretSource;
import java.io.IOException;
import java.io.StringReader;
import java.net.SocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.apache.sshd.client.config.hosts.KnownHostEntry;
import org.apache.sshd.client.keyverifier.ServerKeyVerifier;
import org.apache.sshd.client.session.ClientSession;
import org.apache.sshd.common.AttributeRepository;
import org.apache.sshd.common.config.keys.KeyUtils;
import org.apache.sshd.common.config.keys.PublicKeyEntry;
import org.apache.sshd.common.config.keys.PublicKeyEntryResolver;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The keys by which hosts are known: a file in the form of OpenSSH. What is not in it is not connected to. Safe for use by many threads. */
final class KnownHosts implements ServerKeyVerifier {
    /** The name by which a row calls the host of a session; it is connected to by an address. */
    static final AttributeRepository.AttributeKey<Host> HOST = new AttributeRepository.AttributeKey<>();

    private static final Logger log = LoggerFactory.getLogger(KnownHosts.class);

    /**
     * A host.
     *
     * @param legacy whether it may be one that knows no better than what is weak today
     * @param refused why its key was refused; outlives the session, whose attributes are gone when it is closed
     */
    record Host(String name, int port, boolean legacy, AtomicReference<@Nullable String> refused) {
        Host(String name, int port, boolean legacy) {
            this(name, port, legacy, new AtomicReference<>());
        }

        @Override
        public String toString() {
            return port == 22 ? name : "[" + name + "]:" + port;
        }
    }

    private final Supplier<@Nullable Path> file;

    KnownHosts(Supplier<@Nullable Path> file) {
        this.file = file;
    }

    @Override
    public boolean verifyServerKey(ClientSession session, SocketAddress remote, PublicKey key) {
        AttributeRepository context = session.getConnectionContext();
        Host host = context == null ? null : context.getAttribute(HOST);
        if (host == null) return false;
        String refusal = refusal(session, host, key);
        if (refusal != null) host.refused().set(refusal);
        return refusal == null;
    }

    /** The types of the keys by which a host is known: it is to show a key of one of these, and not one that is not in the file. */
    Set<String> types(Host host) {
        Set<String> types = new LinkedHashSet<>();
        Path path = file.get();
        if (path == null || !Files.exists(path)) return types;
        try {
            for (KnownHostEntry each : entries(path))
                if (each.getMarker() == null && each.isHostMatch(host.name(), host.port()))
                    types.add(each.getKeyEntry().getKeyType());
        } catch (IOException | IllegalArgumentException e) {
            // Is said when the key is compared.
        }
        return types;
    }

    private static List<KnownHostEntry> entries(Path path) throws IOException {
        return KnownHostEntry.readKnownHostEntries(new StringReader(SecretSource.settings(path)), true);
    }

    private @Nullable String refusal(ClientSession session, Host host, PublicKey key) {
        String shown = "its key is " + KeyUtils.getFingerPrint(key)
                + "; the line for known_hosts, once that was compared: " + host + " " + PublicKeyEntry.toString(key);
        Path path = file.get();
        if (path == null || !Files.exists(path)) return "there is no file of known hosts; " + shown;
        boolean other = false;
        boolean found = false;
        try {
            for (KnownHostEntry each : entries(path)) {
                if (!each.isHostMatch(host.name(), host.port())) continue;
                boolean same = KeyUtils.compareKeys(
                        key, each.getKeyEntry().resolvePublicKey(session, PublicKeyEntryResolver.IGNORING));
                if ("revoked".equals(each.getMarker())) {
                    if (same) return "its key is revoked";
                } else if (each.getMarker() == null) {
                    found |= same;
                    other |= !same;
                }
            }
        } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
            log.warn("the file of known hosts cannot be read: {}", e.getMessage());
            return "the file of known hosts cannot be read";
        }
        if (found) return null;
        return (other ? "its key has changed; " : "it is not known; ") + shown;
    }
}
