package dev.howdah.reach.internal.mail;

import dev.howdah.internal.text.Sha256;
import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.Signature;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Signs a mail as RFC 6376 says it, with the relaxed forms of header and body. */
final class DkimSignature {
    /** Those that are signed; {@code From} stands once more than a mail has it, so that no further one can be added. */
    private static final List<String> SIGNED = List.of(
            "from",
            "from",
            "sender",
            "reply-to",
            "to",
            "cc",
            "subject",
            "date",
            "message-id",
            "in-reply-to",
            "references",
            "mime-version",
            "content-type",
            "content-transfer-encoding",
            "list-unsubscribe",
            "list-unsubscribe-post");

    private static final int LINE = 72;

    private DkimSignature() {}

    /** Adds the signature to a mail that is as it will be sent. */
    static void sign(MimeMessage message, DkimKeys.Key key) throws MessagingException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try {
            message.writeTo(all, new String[] {"Bcc", "Content-Length", "DKIM-Signature"});
        } catch (IOException e) {
            throw new MessagingException("the mail cannot be written", e);
        }
        // As bytes: what is signed is what is sent.
        String text = all.toString(StandardCharsets.ISO_8859_1);
        int end = text.indexOf("\r\n\r\n");
        String head = end < 0 ? text : text.substring(0, end + 2);
        String body = end < 0 ? "" : text.substring(end + 4);
        Map<String, String> headers = headers(head);
        List<String> names = new ArrayList<>();
        StringBuilder signed = new StringBuilder();
        for (String each : SIGNED) {
            String relaxed = headers.get(each);
            if (relaxed == null) continue;
            // Its second place stands for a header that is not there.
            if (!names.contains(each)) signed.append(relaxed).append("\r\n");
            names.add(each);
        }
        String value = "v=1; a=" + key.algorithm() + "; c=relaxed/relaxed; d=" + key.domain() + "; s=" + key.selector()
                + ";\r\n\th=" + folded(String.join(":", names), ":") + ";\r\n\tbh="
                + Base64.getEncoder().encodeToString(Sha256.of(relaxedBody(body))) + ";\r\n\tb=";
        signed.append(relaxed("dkim-signature", value));
        byte[] signature = signature(key, signed.toString().getBytes(StandardCharsets.ISO_8859_1));
        message.setHeader("DKIM-Signature", value + folded(Base64.getEncoder().encodeToString(signature), ""));
    }

    /** The last header of each name, in the relaxed form. */
    private static Map<String, String> headers(String head) {
        Map<String, String> all = new LinkedHashMap<>();
        for (String each : head.split("\r\n(?![ \t])")) {
            int colon = each.indexOf(':');
            if (colon < 0) continue;
            String name = each.substring(0, colon).strip().toLowerCase(Locale.ROOT);
            all.put(name, relaxed(name, each.substring(colon + 1)));
        }
        return all;
    }

    private static String relaxed(String name, String value) {
        return name + ":" + blanks(value.replace("\r\n", "")).strip();
    }

    private static String blanks(String text) {
        return text.replaceAll("[ \t]+", " ");
    }

    private static byte[] relaxedBody(String body) {
        StringBuilder relaxed = new StringBuilder();
        int empty = 0;
        for (String each : body.split("\r\n", -1)) {
            String line = blanks(each);
            if (line.endsWith(" ")) line = line.substring(0, line.length() - 1);
            if (line.isEmpty()) {
                empty++;
                continue;
            }
            // Empty lines at the end are none.
            for (; empty > 0; empty--) relaxed.append("\r\n");
            relaxed.append(line).append("\r\n");
        }
        return relaxed.toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Broken after a separator, or anywhere if there is none. */
    private static String folded(String text, String separator) {
        StringBuilder folded = new StringBuilder();
        int column = 0;
        for (String each : text.split(separator.isEmpty() ? "(?<=\\G.{" + LINE + "})" : "(?<=" + separator + ")")) {
            if (column + each.length() > LINE) {
                folded.append("\r\n\t");
                column = 0;
            }
            folded.append(each);
            column += each.length();
        }
        return folded.toString();
    }

    private static byte[] signature(DkimKeys.Key key, byte[] text) throws MessagingException {
        boolean rsa = key.algorithm().equals("rsa-sha256");
        try {
            Signature signature = Signature.getInstance(rsa ? "SHA256withRSA" : "Ed25519");
            signature.initSign(key.key());
            // RFC 8463: Ed25519 signs the hash.
            signature.update(rsa ? text : Sha256.of(text));
            return signature.sign();
        } catch (GeneralSecurityException e) {
            throw new MessagingException("the mail cannot be signed", e);
        }
    }
}
