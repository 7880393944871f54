package dev.howdah.reach.internal.mail;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.reach.internal.call.PemKey;
import dev.howdah.reach.internal.secret.JsonKeys;
import dev.howdah.reach.internal.secret.SecretSource;
import java.security.PrivateKey;
import java.security.interfaces.EdECPrivateKey;
import java.security.interfaces.RSAPrivateKey;
import java.util.Collections;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The keys that sign mails, by the domain of their sender: {@code {"telco.example": {"selector": "a", "file": "dkim.pem"}}}. Immutable. */
public final class DkimKeys {
    private static final Set<String> KEYS = Set.of("selector", "file", "env");
    private static final int SHORTEST_RSA = 1024;
    private static final String NAME = "[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?";

    /** @param selector under which the DNS of the domain has the public key */
    record Key(String domain, String selector, PrivateKey key) {
        String algorithm() {
            return key instanceof RSAPrivateKey ? "rsa-sha256" : "ed25519-sha256";
        }

        /** Without the key. */
        @Override
        public String toString() {
            return selector + "._domainkey." + domain;
        }
    }

    private final Map<String, Key> all;
    private final Map<String, String> names;

    /** @param names where the public keys are, by domain */
    private DkimKeys(Map<String, Key> all, Map<String, String> names) {
        this.all = Map.copyOf(all);
        this.names = new TreeMap<>(names);
    }

    /**
     * Reads such an object.
     *
     * @param node null for none
     * @throws IllegalArgumentException naming the domain and what is wrong, never the key
     */
    public static DkimKeys of(@Nullable JsonNode node, SecretSource source) {
        Map<String, Key> all = new HashMap<>();
        Map<String, String> names = new HashMap<>();
        if (node == null || node.isNull()) return new DkimKeys(all, names);
        if (!node.isObject()) throw new IllegalArgumentException("\"dkim\" has to be an object of domains");
        for (Map.Entry<String, JsonNode> each : node.properties())
            try {
                String domain = each.getKey().toLowerCase(Locale.ROOT);
                String selector = selector(domain, each.getValue());
                String pem = source.secret(each.getValue());
                if (source.reads()) all.put(domain, key(domain, selector, pem));
                names.put(domain, selector + "._domainkey." + domain);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("\"dkim\": \"" + each.getKey() + "\": " + e.getMessage(), e);
            }
        return new DkimKeys(all, names);
    }

    private static String selector(String domain, JsonNode node) {
        if (!domain.matches(NAME)) throw new IllegalArgumentException("it is no domain");
        JsonKeys.only(node, KEYS);
        String selector = JsonKeys.text(node, "selector");
        if (selector == null || !selector.matches(NAME))
            throw new IllegalArgumentException(
                    "\"selector\" has to be a name of the DNS, SELECTOR._domainkey." + domain + " has the public key");
        return selector;
    }

    private static Key key(String domain, String selector, String pem) {
        PrivateKey key = PemKey.of(pem);
        boolean usable = key instanceof RSAPrivateKey rsa
                ? rsa.getModulus().bitLength() >= SHORTEST_RSA
                : key instanceof EdECPrivateKey;
        if (!usable)
            throw new IllegalArgumentException(
                    "its key has to be of RSA with " + SHORTEST_RSA + " bits or more, or of Ed25519");
        return new Key(domain, selector, key);
    }

    /** Where the public keys are, by domain. */
    public Map<String, String> names() {
        return Collections.unmodifiableMap(names);
    }

    /** That of the domain of an address; null if its mails are not signed. */
    @Nullable
    Key of(String address) {
        return all.get(address.substring(address.lastIndexOf('@') + 1).toLowerCase(Locale.ROOT));
    }
}
