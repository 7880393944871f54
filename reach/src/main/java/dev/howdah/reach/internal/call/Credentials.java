package dev.howdah.reach.internal.call;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.internal.http.Signer;
import dev.howdah.reach.internal.call.ReachFailure.Code;
import dev.howdah.reach.internal.secret.JsonKeys;
import dev.howdah.reach.internal.secret.SecretSource;
import dev.howdah.reach.internal.secret.TokenFile;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The credentials of the program by name. Immutable, but for tokens, which are read again. Safe for use by many threads. */
public final class Credentials {
    private static final Set<String> KEYS =
            Set.of("kind", "user", "header", "file", "env", "secrets", "for", "id", "timestamp", "prefix", "encoding");
    private static final Set<String> SIGNATURE = Set.of("id", "timestamp", "prefix", "encoding");

    private final Map<String, Credential> all;

    /** Tokens, which expire and are written anew. */
    private final Map<String, TokenFile> tokens;

    private Credentials(Map<String, Credential> all, Map<String, TokenFile> tokens) {
        this.all = Map.copyOf(all);
        this.tokens = Map.copyOf(tokens);
    }

    /**
     * Reads what stands under {@code credentials}.
     *
     * @throws IllegalArgumentException naming the credential and what is wrong with it, never its secret
     */
    public static Credentials of(@Nullable JsonNode node, SecretSource source) {
        Map<String, Credential> all = new TreeMap<>();
        Map<String, TokenFile> tokens = new TreeMap<>();
        if (node == null) return new Credentials(all, tokens);
        Iterator<Map.Entry<String, JsonNode>> each = node.fields();
        while (each.hasNext()) {
            Map.Entry<String, JsonNode> one = each.next();
            try {
                Credential made = credential(one.getKey(), one.getValue(), source);
                all.put(one.getKey(), made);
                String file = JsonKeys.text(one.getValue(), "file");
                if (made.kind() == Credential.Kind.BEARER && file != null && source.reads())
                    tokens.put(one.getKey(), new TokenFile(source, file, text -> oneLine(text.strip())));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("the credential \"" + one.getKey() + "\": " + e.getMessage(), e);
            }
        }
        return new Credentials(all, tokens);
    }

    private static String oneLine(String secret) {
        if (secret.matches("[\\x20-\\x7e\\x{80}-\\x{10FFFF}]+")) return secret;
        throw new IllegalArgumentException("its secret has more than one line, or control characters");
    }

    private static Credential credential(String name, JsonNode node, SecretSource source) {
        JsonKeys.only(node, KEYS);
        String kind = JsonKeys.text(node, "kind");
        Credential.Kind read = switch (String.valueOf(kind)) {
            case "bearer" -> Credential.Kind.BEARER;
            case "basic" -> Credential.Kind.BASIC;
            case "header" -> Credential.Kind.HEADER;
            case "login" -> Credential.Kind.LOGIN;
            case "key" -> Credential.Kind.KEY;
            case "certificate" -> Credential.Kind.CERTIFICATE;
            case "hmac" -> Credential.Kind.HMAC;
            case "webhook" -> Credential.Kind.WEBHOOK;
            default ->
                throw new IllegalArgumentException(
                        "kind has to be bearer, basic, header, login, key, certificate, hmac or webhook");
        };
        String user = JsonKeys.text(node, "user");
        if (user == null && (read == Credential.Kind.BASIC || read == Credential.Kind.LOGIN))
            throw new IllegalArgumentException("the kind " + kind + " has a user");
        String header = JsonKeys.text(node, "header");
        SignatureForm signature = signature(read, node);
        if ((header != null) != (read == Credential.Kind.HEADER || read == Credential.Kind.HMAC))
            throw new IllegalArgumentException("the kinds header and hmac, and no other, have a header");
        if (header != null && !header.matches("[A-Za-z0-9-]{1,100}"))
            throw new IllegalArgumentException("header has to be the name of one");
        Map<String, String> further = new TreeMap<>();
        JsonNode secrets = node.get("secrets");
        if (secrets != null)
            secrets.fields()
                    .forEachRemaining(each -> further.put(
                            each.getKey(), source.secret(each.getValue()).strip()));
        List<String> places = JsonKeys.texts(node, "for");
        if (places.isEmpty())
            throw new IllegalArgumentException(
                    "\"for\" has to say where it may be used and by whom: [\"https://api.example/*=app\"]");
        String secret = source.secret(node);
        // A key is a text of lines; everything else is one line.
        boolean lines = read == Credential.Kind.KEY || read == Credential.Kind.CERTIFICATE;
        if (!lines) secret = secret.strip();
        if (read == Credential.Kind.CERTIFICATE && source.reads()) ClientCertificate.managers(secret);
        if (!lines && source.reads()) oneLine(secret);
        if (signature != null && source.reads()) {
            Signer.of(secret);
            further.values().forEach(Signer::of);
        }
        return new Credential(
                name,
                read,
                user,
                header == null ? null : header.toLowerCase(Locale.ROOT),
                secret,
                Map.copyOf(further),
                ReachPlaces.of(places),
                signature);
    }

    private static @Nullable SignatureForm signature(Credential.Kind kind, JsonNode node) {
        if (kind == Credential.Kind.HMAC) return SignatureForm.of(node);
        for (String each : SIGNATURE)
            if (node.has(each)) throw new IllegalArgumentException("the kind hmac, and no other, has \"" + each + "\"");
        return kind == Credential.Kind.WEBHOOK ? SignatureForm.STANDARD : null;
    }

    /** All of them, by name. */
    public List<Credential> all() {
        return List.copyOf(new TreeMap<>(all).values());
    }

    /**
     * The credential that a row names.
     *
     * @return null if it names none
     * @throws ReachFailure if there is none of that name for that owner and target; both look alike
     */
    @Nullable
    public Credential of(String owner, Target target) throws ReachFailure {
        return named(owner, target, target.option("as"));
    }

    /**
     * The same of the one that signs a request.
     *
     * @return null if the row names none
     */
    @Nullable
    public Credential signer(String owner, Target target) throws ReachFailure {
        Credential found = named(owner, target, target.option("sign"));
        if (found != null && found.signature() == null)
            throw ReachFailure.lasting(
                    Code.CREDENTIAL,
                    "the credential \"" + found.name()
                            + "\" is none that signs requests: its kind has to be webhook or hmac");
        return found;
    }

    private @Nullable Credential named(String owner, Target target, @Nullable String name) throws ReachFailure {
        if (name == null) return null;
        Credential found = all.get(name);
        if (found != null && found.places().has(owner, target)) {
            TokenFile token = tokens.get(name);
            return token == null ? found : found.with(token.now());
        }
        throw ReachFailure.lasting(
                Code.CREDENTIAL,
                "there is no credential \"" + name + "\" for role \"" + owner + "\" at " + target,
                null,
                "The administrator of the program can add it under \"credentials\" in the file of --reach, with this"
                        + " place and role in its \"for\".");
    }

    /** The names, for the log. */
    @Override
    public String toString() {
        return new ArrayList<>(new TreeMap<>(all).keySet()).toString();
    }
}
