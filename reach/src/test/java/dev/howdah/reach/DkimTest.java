package dev.howdah.reach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import jakarta.mail.internet.MimeMessage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.Signature;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.apache.james.jdkim.DKIMVerifier;
import org.apache.james.jdkim.api.SignatureRecord;
import org.apache.james.jdkim.exceptions.FailException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Mails that are signed, judged by another implementation. */
@PostgresTest
class DkimTest {
    private final GreenMail server = new GreenMail(new ServerSetup(0, "127.0.0.1", ServerSetup.PROTOCOL_SMTP));
    private final TestDatabase database;

    @TempDir
    Path directory;

    DkimTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeEach
    void serve() {
        server.getSmtp().getServerSetup().setServerStartupTimeout(60_000);
        server.start();
    }

    @AfterEach
    void close() {
        server.stop();
    }

    private static KeyPair keys(String algorithm, int bits) throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
        if (bits > 0) generator.initialize(bits);
        return generator.generateKeyPair();
    }

    private void pem(KeyPair keys) throws IOException {
        Path file = directory.resolve("dkim.pem");
        Files.writeString(
                file,
                "-----BEGIN PRIVATE KEY-----\n"
                        + Base64.getMimeEncoder()
                                .encodeToString(keys.getPrivate().getEncoded())
                        + "\n-----END PRIVATE KEY-----\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    private ReachSettings settings(String dkim) throws IOException {
        Path file = directory.resolve("reach.json");
        Files.writeString(file, "{\"senders\": [\"*@telco.example\", \"*@other.example\"], \"dkim\": " + dkim + "}");
        return ReachSettings.of(List.of("smtp://127.0.0.1:*"), file, Map.of());
    }

    private byte[] received(String... inputs) throws Exception {
        try (ReachingTasks tasks = new ReachingTasks(
                database, settings("{\"telco.example\": {\"selector\": \"a2026\", \"file\": \"dkim.pem\"}}"))) {
            for (String each : inputs)
                tasks.output("smtp://127.0.0.1:" + server.getSmtp().getPort() + "?tls=none", each);
        }
        MimeMessage[] all = server.getReceivedMessages();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        all[all.length - 1].writeTo(bytes);
        return bytes.toByteArray();
    }

    private static List<SignatureRecord> verify(byte[] mail, KeyPair keys) throws FailException, IOException {
        String record = "v=DKIM1; k=rsa; p="
                + Base64.getEncoder().encodeToString(keys.getPublic().getEncoded());
        return new DKIMVerifier((method, selector, domain) -> {
                    assertThat(selector + "." + domain).isEqualTo("a2026.telco.example");
                    return List.of(record);
                })
                .verify(new ByteArrayInputStream(mail));
    }

    @Test
    void mail_ofAnyForm_bearsASignatureThatHolds() throws Exception {
        KeyPair keys = keys("RSA", 2048);
        pem(keys);
        for (String each : List.of(
                "{\"to\": \"Ann Ångström <ann@example.com>\", \"from\": \"Счета <invoices@telco.example>\", \"subject\": \"Счёт № 17, "
                        + "ein sehr langer Betreff, ".repeat(10)
                        + "\", \"text\": \"Здравствуйте\", \"html\": \"<b>x</b>\", \"attach\": [{\"name\": \"a.csv\", \"text\": \"a;b\"}]}",
                "From: a@telco.example\nTo: ann@example.com\nSubject:  two  \n  lines\n\nBody  with   blanks \n.\n\n..end\n\n\n")) {
            byte[] mail = received(each);
            assertThat(verify(mail, keys)).as(each).hasSize(1);
            String text = new String(mail, StandardCharsets.ISO_8859_1);
            assertThatThrownBy(() -> verify(
                            text.replaceFirst("(?m)^To: .*", "To: eve@example.com")
                                    .getBytes(StandardCharsets.ISO_8859_1),
                            keys))
                    .isInstanceOf(FailException.class);
            assertThatThrownBy(() -> verify((text + "more").getBytes(StandardCharsets.ISO_8859_1), keys))
                    .isInstanceOf(FailException.class);
            // Another sender cannot be put beside the one that is signed.
            assertThatThrownBy(() ->
                            verify(("From: eve@example.com\r\n" + text).getBytes(StandardCharsets.ISO_8859_1), keys))
                    .isInstanceOf(FailException.class);
        }
        // RFC 6376, 3.4.4: of an empty body.
        assertThat(new String(received("From: a@telco.example\nTo: ann@example.com\n\n"), StandardCharsets.ISO_8859_1))
                .contains("bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=;");
        assertThat(new String(
                        received("{\"to\": \"ann@example.com\", \"from\": \"a@other.example\", \"text\": \"x\"}"),
                        StandardCharsets.ISO_8859_1))
                .doesNotContain("DKIM");
    }

    @Test
    void signature_ofEd25519_isOfTheHashOfItsHeaders() throws Exception {
        KeyPair keys = keys("Ed25519", 0);
        pem(keys);
        String mail = new String(
                received(
                        "From: a@telco.example\nTo: b@example.com\nDate: Thu, 26 Nov 2026 10:00:00 +0000\nMessage-ID: <1@telco.example>\n\nHi\n"),
                StandardCharsets.ISO_8859_1);
        String header = mail.replaceFirst("(?s).*DKIM-Signature: (.*?)\r\n(?![ \t]).*", "$1")
                .replaceAll("\\s+", " ");
        assertThat(header).startsWith("v=1; a=ed25519-sha256; c=relaxed/relaxed; d=telco.example; s=a2026;");
        String hash = Base64.getEncoder()
                .encodeToString(
                        MessageDigest.getInstance("SHA-256").digest("Hi\r\n".getBytes(StandardCharsets.US_ASCII)));
        assertThat(header).contains("bh=" + hash);
        String signed = "from:a@telco.example\r\nto:b@example.com\r\ndate:Thu, 26 Nov 2026 10:00:00 +0000\r\n"
                + "message-id:<1@telco.example>\r\ndkim-signature:" + header.replaceFirst(" b=.*", " b=");
        Signature check = Signature.getInstance("Ed25519");
        check.initVerify(keys.getPublic());
        check.update(MessageDigest.getInstance("SHA-256").digest(signed.getBytes(StandardCharsets.US_ASCII)));
        assertThat(check.verify(Base64.getMimeDecoder().decode(header.replaceFirst(".* b=", ""))))
                .isTrue();
    }

    @Test
    void settings_thatAreWrong_areRefused_withoutTheKey() throws Exception {
        pem(keys("EC", 256));
        String secret =
                Files.readString(directory.resolve("dkim.pem")).split("\n")[1].substring(0, 20);
        for (Map.Entry<String, String> each : Map.of(
                        "{\"telco.example\": {\"selector\": \"a\", \"file\": \"dkim.pem\"}}", "has to be of RSA",
                        "{\"telco.example\": {\"file\": \"dkim.pem\"}}", "\"selector\" has to be",
                        "{\"telco.example\": {\"selector\": \"a\", \"file\": \"none.pem\"}}", "there is no such file",
                        "{\"not a domain\": {\"selector\": \"a\", \"file\": \"dkim.pem\"}}", "it is no domain",
                        "{\"telco.example\": {\"selector\": \"a\", \"file\": \"reach.json\"}}",
                                "reach.json can be read")
                .entrySet())
            assertThatThrownBy(() -> settings(each.getKey()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("dkim")
                    .hasMessageContaining(each.getValue())
                    .hasMessageNotContaining(secret);
    }
}
