package dev.howdah.reach.internal.call;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A secret of the program's files or environment, and where tasks may use it. Immutable.
 *
 * @param user null where it needs none
 * @param header of a request; null for the usual one
 * @param secrets further ones by name, such as the password of a device's enable mode
 * @param signature how it signs; null where it does not
 */
public record Credential(
        String name,
        Kind kind,
        @Nullable String user,
        @Nullable String header,
        String secret,
        Map<String, String> secrets,
        ReachPlaces places,
        @Nullable SignatureForm signature) {
    /** One that does not sign. */
    public Credential(
            String name,
            Kind kind,
            @Nullable String user,
            @Nullable String header,
            String secret,
            Map<String, String> secrets,
            ReachPlaces places) {
        this(name, kind, user, header, secret, secrets, places, null);
    }

    /** What is sent of it. */
    public enum Kind {
        BEARER,
        BASIC,
        HEADER,
        LOGIN,
        KEY,
        CERTIFICATE,
        HMAC,
        WEBHOOK
    }

    /** A shorter one would hide what is none. */
    private static final int SHORTEST = 4;

    private static final String HIDDEN = "***";

    /** A text that goes into a row or log, without the secret. */
    public String without(String text) {
        String without = text;
        for (String each : forms()) without = without.replace(each, HIDDEN);
        return without;
    }

    /** Bytes that go into the database, without the secret. */
    public byte[] without(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        String without = text;
        for (String each : forms())
            without = without.replace(
                    new String(each.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1), HIDDEN);
        return without.equals(text) ? bytes : without.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** The secret in all forms in which it is sent, or repeated. */
    private List<String> forms() {
        Set<String> all = new LinkedHashSet<>();
        List<String> each = new ArrayList<>(secrets.values());
        each.add(secret);
        for (String one : each) {
            if (one.length() < SHORTEST) continue;
            all.add(one);
            // As an answer in JSON, HTML or a form repeats it.
            all.add(one.replace("\\", "\\\\").replace("\"", "\\\""));
            all.add(one.replace("&", "&amp;")
                    .replace("<", "&lt;")
                    .replace(">", "&gt;")
                    .replace("\"", "&quot;"));
            String form = URLEncoder.encode(one, StandardCharsets.UTF_8);
            all.add(form);
            all.add(form.replace("+", "%20"));
            all.add(base64(one));
        }
        all.add(base64(user + ":" + secret));
        // The logins PLAIN and XOAUTH2 of a mail server.
        all.add(base64("\0" + user + "\0" + secret));
        all.add(base64("user=" + user + "\1auth=Bearer " + secret + "\1\1"));
        // The longest first: a shorter form may be a part of it.
        return all.stream()
                .filter(one -> one.length() >= SHORTEST)
                .sorted(Comparator.comparingInt(String::length).reversed())
                .toList();
    }

    /** The same with another secret. */
    Credential with(String other) {
        return new Credential(name, kind, user, header, other, secrets, places, signature);
    }

    /** The main secret, and further ones in the order of their names. */
    public List<String> allSecrets() {
        List<String> all = new ArrayList<>(List.of(secret));
        all.addAll(new TreeMap<>(secrets).values());
        return all;
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Not what it is. */
    @Override
    public String toString() {
        return name;
    }
}
