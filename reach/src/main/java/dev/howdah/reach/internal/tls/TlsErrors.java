package dev.howdah.reach.internal.tls;

import dev.howdah.internal.text.Sha256;
import dev.howdah.reach.internal.call.AnswerText;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.Certificate;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.util.HexFormat;
import java.util.List;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/** Why a connection could not be made secure. */
public final class TlsErrors {
    private TlsErrors() {}

    /** In words for the owner of a task: with the dates and the fingerprint of a certificate that is out of date. Null: nothing is known. */
    public static @Nullable String text(SSLException e) {
        X509Certificate certificate = null;
        for (Throwable each = e; each != null; each = each.getCause()) {
            if (each instanceof CertPathValidatorException invalid) certificate = certificate(invalid);
            if (each instanceof CertificateExpiredException) return "a certificate has expired" + details(certificate);
            if (each instanceof CertificateNotYetValidException)
                return "a certificate is not valid yet" + details(certificate);
            if (each instanceof CertPathBuilderException)
                return "the certificate is not signed by an authority that is trusted: those of Java are, or with"
                        + " \"authorities\" in the file of --reach those of that file";
            if (isOfAnotherHost(each))
                return "the certificate is for another host: " + AnswerText.shown(each.getMessage());
        }
        return AnswerText.shown(e.getMessage());
    }

    /** Java has no exception of its own for it. */
    private static boolean isOfAnotherHost(Throwable e) {
        String message = e.getMessage();
        return e instanceof SSLPeerUnverifiedException
                || e instanceof CertificateException
                        && message != null
                        && (message.startsWith("No subject alternative") || message.startsWith("No name matching"));
    }

    private static @Nullable X509Certificate certificate(CertPathValidatorException e) {
        if (e.getCertPath() == null || e.getIndex() < 0) return null;
        List<? extends Certificate> path = e.getCertPath().getCertificates();
        return e.getIndex() < path.size() && path.get(e.getIndex()) instanceof X509Certificate found ? found : null;
    }

    private static String details(@Nullable X509Certificate certificate) {
        if (certificate == null) return "";
        String subject = AnswerText.shown(certificate.getSubjectX500Principal().getName());
        return ": " + subject + ", valid from "
                + certificate.getNotBefore().toInstant() + " to "
                + certificate.getNotAfter().toInstant() + ", SHA-256 " + fingerprint(certificate);
    }

    private static String fingerprint(X509Certificate certificate) {
        try {
            return HexFormat.of().formatHex(Sha256.of(certificate.getEncoded()));
        } catch (CertificateEncodingException e) {
            throw new IllegalStateException(e);
        }
    }
}
