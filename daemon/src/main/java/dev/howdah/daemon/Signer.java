package dev.howdah.daemon;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs requests by HMAC-SHA256, as Standard Webhooks has it: the signature is over number, time and body, with points
 * between. Immutable and safe for use by many threads; the secret is in no text made by it.
 */
final class Signer {
    private static final String PREFIX = "whsec_";
    private static final int SHORTEST = 16;
    private static final Set<PosixFilePermission> OTHERS =
            Set.of(PosixFilePermission.OTHERS_READ, PosixFilePermission.OTHERS_WRITE);

    private final SecretKeySpec key;

    private Signer(byte[] secret) {
        this.key = new SecretKeySpec(secret, "HmacSHA256");
    }

    /**
     * With the secret in that file: {@code whsec_} and base64, or any other text, as it stands.
     *
     * @throws Failure if it cannot be read, is too short, or others can read it
     */
    static Signer of(Path file) {
        String text;
        try {
            if (Files.getFileStore(file).supportsFileAttributeView("posix")
                    && Files.getPosixFilePermissions(file).stream().anyMatch(OTHERS::contains))
                throw Failure.usage(
                        "--http-secret: " + file + " can be read or written by everybody: chmod 600 " + file);
            text = Files.readString(file).strip();
        } catch (IOException e) {
            throw Failure.usage("--http-secret: cannot read " + file + ": " + Configuration.reason(e));
        }
        byte[] secret;
        try {
            secret = text.startsWith(PREFIX)
                    ? Base64.getDecoder().decode(text.substring(PREFIX.length()))
                    : text.getBytes(StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw Failure.usage("--http-secret: what follows " + PREFIX + " in " + file + " is not base64");
        }
        if (secret.length < SHORTEST)
            throw Failure.usage("--http-secret: the secret in " + file + " has " + secret.length + " bytes, it needs "
                    + SHORTEST + " or more: \"openssl rand -hex 32\" makes one");
        return new Signer(secret);
    }

    /** The headers that say who has sent it. */
    Map<String, String> headers(String number, Instant time, byte[] body) {
        long seconds = time.getEpochSecond();
        return Map.of(
                "webhook-id", number,
                "webhook-timestamp", Long.toString(seconds),
                "webhook-signature", signature(number, seconds, body));
    }

    /** The value of the header {@code webhook-signature}. */
    String signature(String number, long seconds, byte[] body) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(key);
            mac.update((number + "." + seconds + ".").getBytes(StandardCharsets.UTF_8));
            return "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has HmacSHA256", e);
        }
    }
}
