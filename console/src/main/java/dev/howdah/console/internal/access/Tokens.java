package dev.howdah.console.internal.access;

import dev.howdah.operations.Role;
import dev.howdah.operations.store.TokenStore;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Tokens by their text. What the database says of one holds for five seconds. Safe for use by many threads. */
final class Tokens {
    private static final long KNOWN_NANOS = Duration.ofSeconds(5).toNanos();
    private static final int MOST = 1_000;

    private record Known(Identity identity, @Nullable Instant expires, long read) {}

    private final TokenStore store;
    private final Map<String, Known> known = new LinkedHashMap<>();

    Tokens(TokenStore store) {
        this.store = store;
    }

    /** The identity of a token; null: it is none, was revoked, or has expired. */
    @Nullable
    Identity find(String token) {
        return TokenStore.isToken(token) ? byHash(HexFormat.of().formatHex(TokenStore.hash(token))) : null;
    }

    /** As {@link #find}, by the hash in hexadecimal. */
    @Nullable
    Identity byHash(String hash) {
        long now = System.nanoTime();
        Known found = get(hash);
        if (found == null || now - found.read() > KNOWN_NANOS) {
            found = read(hash, now);
            put(hash, found);
        }
        if (found == null || found.expires() != null && !found.expires().isAfter(Instant.now())) return null;
        return found.identity();
    }

    private @Nullable Known read(String hash, long now) {
        TokenStore.Accepted token = store.find(HexFormat.of().parseHex(hash)).orElse(null);
        if (token == null) return null;
        Role role = Role.of(token.role()).orElse(null);
        if (role == null) return null;
        store.used(token.id());
        return new Known(new Identity("token:" + token.name(), role, hash, token.queues()), token.expires(), now);
    }

    private synchronized @Nullable Known get(String hash) {
        return known.get(hash);
    }

    private synchronized void put(String hash, @Nullable Known read) {
        known.remove(hash);
        if (read == null) return;
        if (known.size() >= MOST) known.remove(known.keySet().iterator().next());
        known.put(hash, read);
    }
}
