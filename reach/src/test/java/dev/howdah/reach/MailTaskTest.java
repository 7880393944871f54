package dev.howdah.reach;

import static org.assertj.core.api.Assertions.assertThat;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import jakarta.mail.internet.MimeBodyPart;
import jakarta.mail.internet.MimeMessage;
import jakarta.mail.internet.MimeMultipart;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tasks that are mails, with a mail server that receives them, and one that refuses. */
@PostgresTest
@Tag("long")
class MailTaskTest {
    private final GreenMail server = new GreenMail(new ServerSetup[] {
        new ServerSetup(0, "127.0.0.1", ServerSetup.PROTOCOL_SMTP),
        new ServerSetup(0, "127.0.0.1", ServerSetup.PROTOCOL_SMTPS)
    });
    private final TestDatabase database;
    private ReachingTasks tasks;

    @TempDir
    Path directory;

    MailTaskTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeEach
    void serve() throws IOException {
        for (ServerSetup each :
                List.of(server.getSmtp().getServerSetup(), server.getSmtps().getServerSetup()))
            each.setServerStartupTimeout(60_000);
        server.start();
        tasks = new ReachingTasks(database, settings("{\"senders\": [\"*@telco.example=postgres\"]}"));
    }

    @AfterEach
    void close() {
        tasks.close();
        server.stop();
    }

    private ReachSettings settings(String json) throws IOException {
        Path file = directory.resolve("reach.json");
        Files.writeString(file, json);
        return ReachSettings.of(List.of("smtp://127.0.0.1:*", "smtps://127.0.0.1:*"), file, Map.of());
    }

    private String plain() {
        return "smtp://127.0.0.1:" + server.getSmtp().getPort() + "?tls=none";
    }

    @Test
    void mail_ofJson_arrivesWithItsPartsAndItsMessageId() throws Exception {
        long id = tasks.add(plain(), """
                {"to": "Ann Ångström <ann@example.com>", "cc": ["bob@example.com"], "bcc": "eve@example.com",
                 "from": "Счета <invoices@telco.example>", "subject": "Счёт 17", "text": "Здравствуйте", "html": "<b>Здравствуйте</b>",
                 "headers": {"X-Kind": "invoice"}, "attach": [{"name": "счёт-17.csv", "type": "text/csv; charset=utf-8", "text": "a;я"}]}
                """);
        tasks.awaitState(id, "DONE");
        MimeMessage[] all = server.getReceivedMessages();
        assertThat(all).hasSize(3); // a copy for each recipient
        MimeMessage mail = all[0];
        assertThat(mail.getSubject()).isEqualTo("Счёт 17");
        assertThat(mail.getMessageID()).matches("<howdah-" + id + "-[0-9a-f]{24}@telco\\.example>");
        assertThat(tasks.column("output", id)).startsWith("250 ").endsWith("Message-ID: " + mail.getMessageID());
        assertThat(mail.getHeader("Bcc")).isNull();
        assertThat(mail.getHeader("X-Kind", null)).isEqualTo("invoice");
        MimeMultipart parts = (MimeMultipart) mail.getContent();
        assertThat(((MimeMultipart) parts.getBodyPart(0).getContent())
                        .getBodyPart(0)
                        .getContent())
                .isEqualTo("Здравствуйте");
        assertThat(jakarta.mail.internet.MimeUtility.decodeText(
                        parts.getBodyPart(1).getFileName()))
                .isEqualTo("счёт-17.csv");
        assertThat(new String(parts.getBodyPart(1).getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo("a;я");
    }

    @Test
    void picture_thatIsInline_standsBesideTheHtmlThatNamesIt() throws Exception {
        String start =
                "{\"to\": \"ann@example.com\", \"from\": \"a@telco.example\", \"html\": \"<img src='cid:logo'>\"";
        String logo = "{\"inline\": \"logo\", \"type\": \"image/png\", \"base64\": \"iVBORw==\"}";
        tasks.output(plain(), start + ", \"attach\": [" + logo + "]}");
        MimeMessage mail = server.getReceivedMessages()[0];
        assertThat(mail.getContentType()).startsWith("multipart/related;");
        MimeMultipart related = (MimeMultipart) mail.getContent();
        assertThat(related.getBodyPart(0).getContentType()).startsWith("text/html");
        MimeBodyPart picture = (MimeBodyPart) related.getBodyPart(1);
        assertThat(picture.getContentID()).isEqualTo("<logo>");
        assertThat(picture.getDisposition()).isEqualTo("inline");
        assertThat(picture.getContentType()).startsWith("image/png");

        tasks.output(
                plain(),
                start + ", \"text\": \"Hi\", \"attach\": [{\"name\": \"a.txt\", \"text\": \"a\"}, " + logo + "]}");
        MimeMultipart mixed = (MimeMultipart) server.getReceivedMessages()[1].getContent();
        assertThat(mixed.getCount()).isEqualTo(2);
        assertThat(mixed.getBodyPart(1).getFileName()).isEqualTo("a.txt");
        MimeMultipart alternative = (MimeMultipart) mixed.getBodyPart(0).getContent();
        assertThat(alternative.getBodyPart(0).getContent()).isEqualTo("Hi");
        assertThat(alternative.getBodyPart(1).getContentType()).startsWith("multipart/related;");

        assertThat(tasks.error(plain(), start.replace("html", "text") + ", \"attach\": [" + logo + "]}"))
                .contains("\"inline\" is for \"html\"");
        assertThat(tasks.error(plain(), start + ", \"attach\": [" + logo.replace("logo", "a>\\r\\nX-A: b") + "]}"))
                .startsWith("ERROR:  the mail cannot be sent: ");
    }

    @Test
    void key_ofOnesOwn_givesTwoTasksOneMessageId() {
        String mail = "{\"to\": \"ann@example.com\", \"from\": \"a@telco.example\", \"text\": \"x\"}";
        assertThat(tasks.output(plain() + "&key=invoice-17", mail))
                .endsWith("Message-ID: <invoice-17@telco.example>")
                .isEqualTo(tasks.output(plain() + "&key=invoice-17", mail));
        assertThat(tasks.error(plain() + "&key=a%20b@c", mail)).contains("the option key has to be");
    }

    @Test
    void mail_asText_isSentAsItIsButForBcc() throws Exception {
        tasks.output(
                plain(),
                "From: a@telco.example\nTo: ann@example.com\nBcc: eve@example.com\nSubject: Hi\n\nBody\n.\nend\n");
        MimeMessage mail = server.getReceivedMessages()[0];
        assertThat(mail.getHeader("Bcc")).isNull();
        assertThat(mail.getMessageID()).startsWith("<howdah-");
        assertThat(String.valueOf(mail.getContent()).replace("\r", "").stripTrailing())
                .isEqualTo("Body\n.\nend");
    }

    @Test
    void mail_thatWouldInjectOrForge_isRefused() {
        for (String each : List.of(
                "{\"to\": \"ann@example.com\", \"from\": \"a@telco.example\", \"text\": \"\", \"subject\": \"x\\r\\nBcc: eve@example.com\"}",
                "{\"to\": \"ann@example.com\\nBcc: eve@example.com\", \"from\": \"a@telco.example\", \"text\": \"\"}",
                "{\"to\": \"ann@example.com\", \"from\": \"a@telco.example\", \"text\": \"\", \"headers\": {\"X-A\": \"x\\nBcc: eve@example.com\"}}",
                "{\"to\": \"ann@example.com\", \"from\": \"a@telco.example\", \"text\": \"\", \"headers\": {\"Bcc\": \"eve@example.com\"}}",
                "{\"to\": \"ann@example.com\", \"from\": \"a@telco.example\", \"text\": \"\", \"attach\": [{\"name\": \"../x\", \"text\": \"\"}]}",
                "{\"to\": \"-oX@example.com\", \"from\": \"a@telco.example\", \"text\": \"\"}",
                "{\"to\": \"ann@example.com\", \"from\": [\"a@telco.example\"], \"text\": \"\"}",
                "{\"to\": \"ann@example.com\", \"from\": \"a@telco.example\"}",
                "{",
                "{\"too\": 1}",
                "{\"to\": \"ann@example.com\", \"from\": \"a@telco.example\", \"text\": \"\", \"subject\": \"x\\u0000y\"}",
                "{\"to\": \"ann@example.com\\u0000\", \"from\": \"a@telco.example\", \"text\": \"\"}",
                "{\"to\": \"ann@example.com\", \"from\": \"a@telco.example\\u0000\", \"text\": \"\"}",
                "{\"to\": \"ann@example.com\", \"from\": \"a@telco.example\", \"text\": \"\", \"headers\": {\"X-A\": \"x\\u0000\"}}",
                "{\"to\": \"ann@example.com\", \"from\": \"a@telco.example\", \"text\": \"\", \"replyTo\": \"a@b.example\\u2028Bcc: c@d.example\"}",
                "{\"to\": \"ann@example.com>\\r\\nRCPT TO:<eve@example.com\", \"from\": \"a@telco.example\", \"text\": \"\"}",
                "{\"to\": " + "[".repeat(5_000) + "]".repeat(5_000) + "}",
                "From: a@telco.example\nFrom: b@telco.example\nTo: ann@example.com\n\n",
                "From: a@telco.example\nTo: ann@example.com\nX-A: x\rBcc: eve@example.com\n\n",
                "From: a@telco.example\nTo: ann@example.com\n\nx\r.\rMAIL FROM:<eve@example.com>\n",
                "From: a@telco.example\nSender: boss@bank.example\nTo: ann@example.com\n\n",
                "Subject: x\n\n"))
            assertThat(tasks.error(plain(), each)).as(each).startsWith("ERROR:  the mail cannot be sent: ");
        assertThat(tasks.error(
                        plain(), "{\"to\": \"ann@example.com\", \"from\": \"boss@bank.example\", \"text\": \"\"}"))
                .startsWith("ERROR:  role \"postgres\" may not send mails from boss@bank.example\nHINT:");
        assertThat(server.getReceivedMessages()).isEmpty();
    }

    @Test
    void security_isRequired() throws IOException {
        String mail = "{\"to\": \"ann@example.com\", \"from\": \"a@telco.example\", \"text\": \"x\"}";
        assertThat(tasks.error("smtps://127.0.0.1:" + server.getSmtps().getPort(), mail))
                .startsWith("ERROR:  no secure connection to smtps://127.0.0.1:");
        try (RefusingMailServer refusing = new RefusingMailServer(Map.of())) {
            assertThat(tasks.error(refusing.address(), mail))
                    .startsWith("ERROR:  no secure connection to smtp://127.0.0.1:")
                    .contains("STARTTLS");
            assertThat(refusing.seen()).noneMatch(line -> line.startsWith("MAIL"));
        }
    }

    @Test
    void probe_connectsWithoutAMail() throws IOException {
        ReachSettings settings = settings("{}");
        try (RefusingMailServer refusing = new RefusingMailServer(Map.of())) {
            assertThat(ReachingTasks.steps(settings, refusing.address() + "?tls=none"))
                    .contains("OK tcp: ", "OK smtp: the server answers, not encrypted");
            assertThat(ReachingTasks.steps(settings, refusing.address()))
                    .contains("FAILED tls: no secure connection to smtp://127.0.0.1:", "does not offer STARTTLS");
            assertThat(refusing.seen()).noneMatch(line -> line.startsWith("MAIL"));
        }
        assertThat(ReachingTasks.steps(
                        settings, "smtps://127.0.0.1:" + server.getSmtps().getPort()))
                .contains("FAILED tls: no secure connection", "not signed by an authority that is trusted");
    }

    @Test
    void refusal_forNow_isTriedAgainWithTheSameMail_andOneForGoodIsNot() throws IOException {
        String mail =
                "{\"to\": [\"ann@example.com\", \"bob@example.com\"], \"from\": \"a@telco.example\", \"text\": \"x\"}";
        try (RefusingMailServer busy = new RefusingMailServer(Map.of("DATA-END", "451 4.3.0 later"))) {
            long id = tasks.add(busy.address() + "?tls=none", mail, "attempts, backoff", "2, '0'");
            tasks.awaitState(id, "FAIL");
            assertThat(tasks.column("error", id)).contains("refused the mail for now\nDETAIL:  451 4.3.0 later");
            long again = Long.parseLong(tasks.column("retry", id));
            tasks.awaitState(again, "FAIL");
            assertThat(busy.seen().stream()
                            .filter(line -> line.startsWith("Message-ID"))
                            .distinct())
                    .hasSize(1);
        }
        try (RefusingMailServer strict =
                new RefusingMailServer(Map.of("RCPT TO:<bob@example.com>", "550 5.1.1 no such user"))) {
            long id = tasks.add(strict.address() + "?tls=none", mail, "attempts, backoff", "2, '0'");
            tasks.awaitState(id, "FAIL");
            assertThat(tasks.column("sqlstate", id)).isEqualTo("W3005");
            assertThat(tasks.column("error", id)).contains("refused a recipient\nDETAIL:  550 5.1.1 no such user");
            assertThat(tasks.column("retry", id)).isEqualTo("null");
            assertThat(strict.seen()).doesNotContain("DATA");
        }
    }

    @Test
    void end_thatIsNotAnswered_isTriedAgainWithTheSameBytesButForTheDate() throws IOException {
        String mail = "{\"to\": [\"ann@example.com\", \"bob@example.com\"], \"from\": \"a@telco.example\","
                + " \"subject\": \"Счёт\", \"text\": \"x\", \"html\": \"<b>x</b>\","
                + " \"attach\": [{\"name\": \"a.csv\", \"type\": \"text/csv\", \"text\": \"a;b\"}]}";
        try (RefusingMailServer silent = new RefusingMailServer(Map.of("DATA-END", RefusingMailServer.HANG_UP))) {
            long id = tasks.add(silent.address() + "?tls=none", mail, "attempts, backoff", "2, '0'");
            tasks.awaitState(id, "FAIL");
            assertThat(tasks.column("sqlstate", id)).isEqualTo("W2006");
            assertThat(tasks.column("error", id)).contains("was lost; it may have been carried out");
            long again = Long.parseLong(tasks.column("retry", id));
            tasks.awaitState(again, "FAIL");
            List<List<String>> mails = new ArrayList<>();
            for (String each : silent.seen())
                if (each.equals("DATA")) mails.add(new ArrayList<>());
                else if (!mails.isEmpty() && !each.startsWith("Date: "))
                    mails.get(mails.size() - 1).add(each);
            assertThat(mails).hasSize(2);
            assertThat(mails.get(1).subList(0, mails.get(1).indexOf(".")))
                    .isEqualTo(mails.get(0).subList(0, mails.get(0).indexOf(".")))
                    .anyMatch(each -> each.startsWith("Message-ID: <howdah-" + id + "-"))
                    .hasSizeGreaterThan(20);
        }
    }

    @Test
    void mail_withTooManyRecipients_isRefused() {
        String to = IntStream.rangeClosed(1, 26)
                .mapToObj(i -> "\"c" + i + "@example.com\"")
                .collect(Collectors.joining(", ", "[", "]"));
        String mail = "{\"to\": " + to + ", \"%s\": " + to.replace("\"c", "\"d")
                + ", \"from\": \"a@telco.example\", \"text\": \"x\"}";
        for (String other : List.of("cc", "bcc"))
            assertThat(tasks.error(plain(), mail.formatted(other)))
                    .isEqualTo("ERROR:  the mail has more than 50 recipients");
        assertThat(server.getReceivedMessages()).isEmpty();
    }

    @Test
    void answer_withoutEnd_isBounded() throws Exception {
        String mail = "{\"to\": \"ann@example.com\", \"from\": \"a@telco.example\", \"text\": \"x\"}";
        for (String answer : List.of("x".repeat(8_192), "250-x\r\n".repeat(1_000)))
            try (ServerSocket endless = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                Thread speaker = new Thread(() -> speak(endless, answer));
                speaker.start();
                String there = "smtp://127.0.0.1:" + endless.getLocalPort();
                long id = tasks.add(there + "?tls=none", mail, "attempts, timeout", "3, '20 s'");
                tasks.awaitState(id, "FAIL");
                assertThat(tasks.column("error", id)).isEqualTo("ERROR:  " + there + " answered more than 4096 KiB");
                assertThat(tasks.column("retry", id)).isEqualTo("null");
                speaker.join(Duration.ofMinutes(1).toMillis());
                assertThat(speaker.isAlive()).as("the connection is closed").isFalse();
            }
    }

    @Test
    void greeting_withoutEnd_isBoundedInMemoryAndTime() throws Exception {
        String mail = "{\"to\": \"ann@example.com\", \"from\": \"a@telco.example\", \"text\": \"x\"}";
        for (boolean fast : new boolean[] {true, false})
            try (ServerSocket endless = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                Thread speaker = new Thread(() -> greet(endless, fast));
                speaker.start();
                String there = "smtp://127.0.0.1:" + endless.getLocalPort();
                long id = tasks.add(there + "?tls=none", mail, "timeout", fast ? "'60 s'" : "'1 s'");
                tasks.awaitState(id, "FAIL");
                assertThat(tasks.column("error", id))
                        .startsWith("ERROR:  " + there)
                        .contains(fast ? "answered more than 4096 KiB" : "was not done within 1 s");
                speaker.join(Duration.ofMinutes(1).toMillis());
                assertThat(speaker.isAlive()).as("the connection is closed").isFalse();
            }
    }

    private static void greet(ServerSocket server, boolean fast) {
        try (Socket socket = server.accept()) {
            CountDownLatch never = new CountDownLatch(1);
            byte[] line =
                    (fast ? "220-welcome\r\n".repeat(1_000) : "220-welcome\r\n").getBytes(StandardCharsets.US_ASCII);
            while (true) {
                socket.getOutputStream().write(line);
                socket.getOutputStream().flush();
                if (!fast && never.await(20, TimeUnit.MILLISECONDS)) return;
            }
        } catch (IOException | InterruptedException e) {
            // The client has left.
        }
    }

    /** Greets, and goes on until it is not heard any more. */
    private static void speak(ServerSocket server, String answer) {
        try (Socket socket = server.accept()) {
            OutputStream out = socket.getOutputStream();
            out.write("220 test\r\n".getBytes(StandardCharsets.US_ASCII));
            while (true) out.write(answer.getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            // The client has left.
        }
    }

    @Test
    void connection_isUsedAgain_andReplacedWhenTheServerHasLeft() throws IOException {
        String mail = "{\"to\": \"ann@example.com\", \"from\": \"a@telco.example\", \"text\": \"x\"}";
        try (RefusingMailServer server = new RefusingMailServer(Map.of())) {
            for (int i = 0; i < 3; i++) tasks.output(server.address() + "?tls=none", mail);
            assertThat(server.connections()).isEqualTo(1);
            server.leave();
            tasks.output(server.address() + "?tls=none", mail);
            assertThat(server.connections()).isEqualTo(2);
            assertThat(server.seen().stream().filter("DATA"::equals)).hasSize(4);
        }
    }
}
