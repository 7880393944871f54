package dev.howdah.reach.internal.call;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** The authorities whose certificates are trusted. */
public final class Trust {
    private Trust() {}

    /**
     * Trusts the authorities of a file of PEM; those of Java without one.
     *
     * @throws IllegalArgumentException if there is none in it
     */
    public static SSLContext of(@Nullable Path file) {
        return of(file, null);
    }

    /**
     * As {@link #of(Path)}, with the certificate of a client for servers that ask for one.
     *
     * @param certificate a credential of the kind certificate; null for none
     */
    public static SSLContext of(@Nullable Path file, @Nullable Credential certificate) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(file == null ? null : store(file));
            context.init(
                    certificate == null ? null : ClientCertificate.managers(certificate.secret()),
                    factory.getTrustManagers(),
                    null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalArgumentException("the authorities cannot be read: " + e.getMessage(), e);
        }
    }

    private static KeyStore store(Path file) throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (InputStream text = Files.newInputStream(file)) {
            int count = 0;
            for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(text))
                store.setCertificateEntry("authority-" + count++, each);
            if (count == 0) throw new IllegalArgumentException(file + " has no certificate in it");
        }
        return store;
    }
}
