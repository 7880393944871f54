package dev.howdah.console.internal.access;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/** A random secret of this start of the console, and what is signed with it. Safe for use by many threads. */
public final class Secret {
    private static final SecureRandom RANDOM = new SecureRandom();

    private final SecretKeySpec key;

    public Secret() {
        byte[] bytes = new byte[32];
        RANDOM.nextBytes(bytes);
        key = new SecretKeySpec(bytes, "HmacSHA256");
    }

    /** 256 random bits as text. */
    public static String random() {
        byte[] bytes = new byte[32];
        RANDOM.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** The signature of a text for a purpose. */
    public String sign(String purpose, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(key);
            mac.update(purpose.getBytes(StandardCharsets.UTF_8));
            mac.update((byte) 0);
            return Base64.getUrlEncoder()
                    .withoutPadding()
                    .encodeToString(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no HmacSHA256", e);
        }
    }

    /** Compares in a time that does not depend on where the texts differ. */
    public static boolean same(@Nullable String one, @Nullable String other) {
        return one != null
                && other != null
                && MessageDigest.isEqual(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
    }
}
