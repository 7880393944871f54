package dev.howdah.reach.internal.call;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Private keys in PEM. */
public final class PemKey {
    static final Pattern BLOCK = Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\\s]+)-----END \\1-----");
    private static final List<String> ALGORITHMS = List.of("RSA", "EC", "Ed25519");

    private PemKey() {}

    /**
     * The key of a text that has one and nothing else.
     *
     * @throws IllegalArgumentException that says what is wrong, without what is in the text
     */
    public static PrivateKey of(String pem) {
        Matcher block = BLOCK.matcher(pem.strip());
        if (!block.matches()) throw new IllegalArgumentException("it has to be one PRIVATE KEY, in PEM");
        if (!block.group(1).equals("PRIVATE KEY")) throw otherForm(block.group(1));
        return read(block.group(2));
    }

    static IllegalArgumentException otherForm(String name) {
        return new IllegalArgumentException(
                "\"" + name + "\" cannot be read: the key has to be a PRIVATE KEY (openssl pkcs8 -topk8 -nocrypt)");
    }

    static PrivateKey read(String base64) {
        byte[] bytes;
        try {
            bytes = Base64.getMimeDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("its private key cannot be read");
        }
        for (String each : ALGORITHMS)
            try {
                return KeyFactory.getInstance(each).generatePrivate(new PKCS8EncodedKeySpec(bytes));
            } catch (InvalidKeySpecException e) {
                // It may be of the next kind.
            } catch (GeneralSecurityException e) {
                throw new IllegalArgumentException("keys of " + each + " cannot be read", e);
            }
        throw new IllegalArgumentException("its private key is none of " + String.join(", ", ALGORITHMS));
    }
}
