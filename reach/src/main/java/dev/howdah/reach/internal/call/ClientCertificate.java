package dev.howdah.reach.internal.call;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;

/** A private key and its certificates, of a text of PEM. Shown to servers that ask for a certificate of their client. */
final class ClientCertificate {
    private ClientCertificate() {}

    /**
     * Reads it.
     *
     * @throws IllegalArgumentException that says what is wrong, without what is in the text
     */
    static KeyManager[] managers(String pem) {
        PrivateKey key = null;
        List<Certificate> chain = new ArrayList<>();
        Matcher block = PemKey.BLOCK.matcher(pem);
        while (block.find()) {
            switch (block.group(1)) {
                case "CERTIFICATE" -> chain.add(certificate(block.group()));
                case "PRIVATE KEY" -> {
                    if (key != null) throw new IllegalArgumentException("there are two private keys in it");
                    key = PemKey.read(block.group(2));
                }
                default -> throw PemKey.otherForm(block.group(1));
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
}
