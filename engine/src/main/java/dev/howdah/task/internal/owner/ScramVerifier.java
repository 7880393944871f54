package dev.howdah.task.internal.owner;

import dev.howdah.internal.text.Sha256;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/** Makes passwords, and what a server needs to recognize them: the password itself never leaves this process. */
final class ScramVerifier {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int ITERATIONS = 4096;
    private static final int SALT_BYTES = 16;
    private static final int PASSWORD_BYTES = 32;

    private ScramVerifier() {}

    /** A password that cannot be guessed, in characters that are the same in every encoding. */
    static String newPassword() {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(random(PASSWORD_BYTES));
    }

    /** The verifier of a password of ASCII characters as PostgreSQL stores it (RFC 5803), with a salt of its own. */
    static String of(String password) {
        return of(password, random(SALT_BYTES));
    }

    static String of(String password, byte[] salt) {
        try {
            byte[] salted = SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")
                    .generateSecret(new PBEKeySpec(password.toCharArray(), salt, ITERATIONS, 256))
                    .getEncoded();
            byte[] stored = Sha256.of(mac(salted, "Client Key"));
            return "SCRAM-SHA-256$" + ITERATIONS + ":" + base64(salt) + "$" + base64(stored) + ":"
                    + base64(mac(salted, "Server Key"));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no SCRAM-SHA-256", e);
        }
    }

    private static byte[] mac(byte[] key, String text) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        return mac.doFinal(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        RANDOM.nextBytes(bytes);
        return bytes;
    }
}
