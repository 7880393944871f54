package dev.howdah.reach;

import dev.howdah.fixtures.TestCertificate;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** The side of TLS that has a certificate. */
final class ServerTls {
    private ServerTls() {}

    static SSLContext of(TestCertificate certificate) throws Exception {
        Certificate read = CertificateFactory.getInstance("X.509")
                .generateCertificate(
                        new ByteArrayInputStream(certificate.certificate().getBytes(StandardCharsets.US_ASCII)));
        byte[] key = Base64.getMimeDecoder().decode(certificate.key().replaceAll("-----[A-Z ]+-----", ""));
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry(
                "server",
                KeyFactory.getInstance("RSA").generatePrivate(new PKCS8EncodedKeySpec(key)),
                new char[0],
                new Certificate[] {read});
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(store, new char[0]);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        return context;
    }
}
