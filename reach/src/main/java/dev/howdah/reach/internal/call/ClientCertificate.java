package dev.howdah.reach.internal.call;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;

/** A private key and its certificates, of a text of PEM. Shown to servers that ask for a certificate of their client. */
final class ClientCertificate {
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\\s]+)-----END \\1-----");
    private static final List<String> ALGORITHMS = List.of("RSA", "EC", "Ed25519");

    private ClientCertificate() {}

    /**
     * Reads it.
     *
     * @throws IllegalArgumentException that says what is wrong, without what is in the text
     */
    static KeyManager[] managers(String pem) {
        PrivateKey key = null;
        List<Certificate> chain = new ArrayList<>();
        Matcher block = BLOCK.matcher(pem);
        while (block.find()) {
            switch (block.group(1)) {
                case "CERTIFICATE" -> chain.add(certificate(block.group()));
                case "PRIVATE KEY" -> {
                    if (key != null) throw new IllegalArgumentException("there are two private keys in it");
                    key = key(block.group(2));
                }
                default ->
                    throw new IllegalArgumentException("\"" + block.group(1)
                            + "\" cannot be read: the key has to be a PRIVATE KEY (openssl pkcs8 -topk8 -nocrypt)");
            }
        }
        if (key == null || chain.isEmpty())
            throw new IllegalArgumentException("it has to have a PRIVATE KEY and its CERTIFICATE in it, in PEM");
        try {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            store.setKeyEntry("client", key, new char[0], chain.toArray(Certificate[]::new));
            KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            factory.init(store, new char[0]);
            return factory.getKeyManagers();
        } catch (GeneralSecurityException | java.io.IOException e) {
            throw new IllegalArgumentException("its key does not fit its certificate", e);
        }
    }

    private static Certificate certificate(String pem) {
        try {
            return CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII)));
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("a certificate in it cannot be read", e);
        }
    }

    private static PrivateKey key(String base64) {
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
