package dev.howdah.internal.http;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs requests by HMAC-SHA256, as Standard Webhooks has it: the signature is over number, time and body, with points
 * between. Immutable and safe for use by many threads; the secret is in no text made by it.
 */
public final class Signer {
    private static final String PREFIX = "whsec_";
    private static final int SHORTEST = 16;

    private final SecretKeySpec key;

    private Signer(byte[] secret) {
        this.key = new SecretKeySpec(secret, "HmacSHA256");
    }

    /**
     * With that secret: {@code whsec_} and base64, or any other text, as it stands.
     *
     * @throws IllegalArgumentException if it is none, or too short, without it in the message
     */
    public static Signer of(String text) {
        byte[] secret;
        try {
            secret = text.startsWith(PREFIX)
                    ? Base64.getDecoder().decode(text.substring(PREFIX.length()))
                    : text.getBytes(StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            // Not as its cause: that says what is in it.
            throw new IllegalArgumentException("what follows " + PREFIX + " in the secret is not base64");
        }
        if (secret.length < SHORTEST)
            throw new IllegalArgumentException("the secret has " + secret.length + " bytes, it needs " + SHORTEST
                    + " or more: \"openssl rand -hex 32\" makes one");
        return new Signer(secret);
    }

    /** Returns whether it has the same secret. */
    public boolean isSame(Signer other) {
        return MessageDigest.isEqual(key.getEncoded(), other.key.getEncoded());
    }

    /** The headers that name the sender. */
    public Map<String, String> headers(String number, Instant time, byte[] body) {
        long seconds = time.getEpochSecond();
        return Map.of(
                "webhook-id", number,
                "webhook-timestamp", Long.toString(seconds),
                "webhook-signature", signature(number, seconds, body));
    }

    /** The value of the header {@code webhook-signature}. */
    public String signature(String number, long seconds, byte[] body) {
        byte[] before = (number + "." + seconds + ".").getBytes(StandardCharsets.UTF_8);
        return "v1," + Base64.getEncoder().encodeToString(hash(List.of(before, body)));
    }

    /** The HMAC of these one after another. */
    public byte[] hash(List<byte[]> pieces) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(key);
            pieces.forEach(mac::update);
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has HmacSHA256", e);
        }
    }
}
