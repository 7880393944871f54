package dev.howdah.console.internal.oidc;

import dev.howdah.operations.Role;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * An OpenID provider, and who may do what by its word.
 *
 * @param clientSecret null: the client is a public one
 * @param nameClaim the claim that names a person in the audit table
 * @param roleClaim the claim with the groups of a person
 * @param roles by the values of that claim
 * @param scope what is asked for, separated by blanks
 */
public record OpenIdSettings(
        URI issuer,
        String clientId,
        @Nullable String clientSecret,
        String nameClaim,
        String roleClaim,
        Map<String, Role> roles,
        String scope) {
    private static final String ROLE = "role.";
    private static final Set<String> KEYS =
            Set.of("issuer", "client-id", "client-secret", "name-claim", "role-claim", "scope");

    /**
     * Reads the settings by their keys: {@code issuer}, {@code client-id}, {@code client-secret}, {@code name-claim}, {@code role-claim},
     * {@code scope}, and {@code role.VALUE} for each value of the claim.
     *
     * @throws IllegalArgumentException that says which is missing or cannot be
     */
    public static OpenIdSettings read(Properties file) {
        Map<String, Role> roles = new LinkedHashMap<>();
        for (String key : new TreeSet<>(file.stringPropertyNames())) {
            String value = file.getProperty(key).strip();
            if (key.startsWith(ROLE)) roles.put(key.substring(ROLE.length()), role(key, value));
            else if (!KEYS.contains(key))
                throw new IllegalArgumentException("unknown key " + key + ", there are: "
                        + String.join(", ", new TreeSet<>(KEYS)) + ", and role.VALUE");
        }
        if (roles.isEmpty())
            throw new IllegalArgumentException(
                    "no role is given to anybody: role.ops=operator gives it to those whose claim has the value ops");
        String secret = file.getProperty("client-secret");
        return new OpenIdSettings(
                issuer(needed(file, "issuer")),
                needed(file, "client-id"),
                secret == null ? null : secret.strip(),
                file.getProperty("name-claim", "email").strip(),
                file.getProperty("role-claim", "groups").strip(),
                Map.copyOf(roles),
                file.getProperty("scope", "openid email profile").strip());
    }

    private static Role role(String key, String value) {
        Role role = Role.of(value)
                .orElseThrow(() -> new IllegalArgumentException(
                        key + " has to be one of " + Role.names() + ", not \"" + value + "\""));
        if (role.needsQueues())
            throw new IllegalArgumentException(
                    key + ": a " + role.text() + " is a program with queues of its own, so it has a token");
        return role;
    }

    private static String needed(Properties file, String key) {
        String value = file.getProperty(key);
        if (value == null || value.isBlank()) throw new IllegalArgumentException("the key " + key + " is missing");
        return value.strip();
    }

    private static URI issuer(String text) {
        String wrong = "issuer has to be an https:// address, not \"" + text + "\"";
        URI uri;
        try {
            uri = URI.create(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(wrong, e);
        }
        boolean isLocal = "http".equals(uri.getScheme())
                && uri.getHost() != null
                && Set.of("127.0.0.1", "localhost", "[::1]").contains(uri.getHost());
        if (!isLocal && !("https".equals(uri.getScheme()) && uri.getHost() != null))
            throw new IllegalArgumentException(wrong);
        return uri;
    }

    /** Shows no secret. */
    @Override
    public String toString() {
        return clientId + " at " + issuer;
    }
}
