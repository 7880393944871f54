package dev.howdah.reach.internal.call;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A secret of the program's files or environment, and where tasks may use it. Immutable.
 *
 * @param user null where it needs none
 * @param header of a request; null for the usual one
 * @param secrets further ones by name, such as the password of a device's enable mode
 */
public record Credential(
        String name,
        Kind kind,
        @Nullable String user,
        @Nullable String header,
        String secret,
        Map<String, String> secrets,
        ReachPlaces places) {
    /** What is sent of it. */
    public enum Kind {
        BEARER,
        BASIC,
        HEADER,
        LOGIN,
        KEY,
        CERTIFICATE
    }

    /** What must not appear in a row or log, in all forms in which it is sent. */
    public List<String> hidden() {
        String pair = user + ":" + secret;
        String base64 = Base64.getEncoder().encodeToString(secret.getBytes(StandardCharsets.UTF_8));
        List<String> all = new java.util.ArrayList<>(
                List.of(secret, base64, Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8))));
        all.addAll(secrets.values());
        return all;
    }

    /** Not what it is. */
    @Override
    public String toString() {
        return name;
    }
}
