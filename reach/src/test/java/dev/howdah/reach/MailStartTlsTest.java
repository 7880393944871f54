package dev.howdah.reach;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestCertificate;
import dev.howdah.fixtures.TestDatabase;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Mails by a server that begins in the open and offers STARTTLS, and what another one on the way could change. */
@PostgresTest
class MailStartTlsTest {
    private static final String MAIL = "{\"to\": \"ann@example.com\", \"subject\": \"s\", \"text\": \"t\"}";
    private static final String SECRET = "s3cr3t-box";
    private static final TestCertificate CERTIFICATE = TestCertificate.of("localhost");
    private static final String OFFER = "250-test\r\n250-AUTH PLAIN LOGIN\r\n250 STARTTLS";

    private final Queue<String> open = new ConcurrentLinkedQueue<>();
    private final Queue<String> encrypted = new ConcurrentLinkedQueue<>();
    private final TestDatabase database;
    private final ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());

    /** What the server has, and what it says in the open. */
    private volatile TestCertificate shown = CERTIFICATE;

    private volatile String offer = OFFER;
    private volatile String go = "220 go";
    private ReachingTasks tasks;

    @TempDir
    Path directory;

    MailStartTlsTest(TestDatabase database) throws IOException {
        this.database = database;
    }

    @BeforeEach
    void serve() throws IOException {
        new Thread(this::accept).start();
        Files.writeString(directory.resolve("ca.pem"), CERTIFICATE.certificate());
        Path password = Files.writeString(directory.resolve("password"), SECRET);
        Files.setPosixFilePermissions(password, PosixFilePermissions.fromString("rw-------"));
        Path file = Files.writeString(directory.resolve("reach.json"), """
                {"authorities": "ca.pem", "private": ["smtp://localhost:*"], "credentials": {
                  "box": {"kind": "login", "user": "box@telco.example", "file": "password", "for": "smtp://localhost:*"}}}
                """);
        tasks = new ReachingTasks(database, ReachSettings.of(List.of("smtp://localhost:*"), file, Map.of()));
    }

    @AfterEach
    void close() throws IOException {
        tasks.close();
        server.close();
    }

    private void accept() {
        while (!server.isClosed())
            try (Socket socket = server.accept()) {
                begin(socket);
            } catch (Exception e) {
                // The client has left, or the test is over.
            }
    }

    private void begin(Socket socket) throws Exception {
        BufferedReader in = reader(socket);
        say(socket, "220 test");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            open.add(line);
            if (line.startsWith("EHLO")) say(socket, offer);
            else if (!line.equals("STARTTLS")) say(socket, "250 in the open");
            else {
                say(socket, go);
                if (!go.startsWith("220")) continue;
                try (Socket secure = ServerTls.of(shown)
                        .getSocketFactory()
                        .createSocket(socket, InputStream.nullInputStream(), true)) {
                    talk(secure);
                }
                return;
            }
        }
    }

    private void talk(Socket socket) throws IOException {
        BufferedReader in = reader(socket);
        boolean data = false;
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            encrypted.add(line);
            if (data && !line.equals(".")) continue;
            data = line.equals("DATA");
            if (line.startsWith("EHLO")) say(socket, "250-test\r\n250 AUTH PLAIN LOGIN");
            else if (line.startsWith("AUTH")) say(socket, "235 accepted");
            else say(socket, data ? "354 go on" : "250 by TLS");
        }
    }

    private static BufferedReader reader(Socket socket) throws IOException {
        return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    }

    private static void say(Socket socket, String text) throws IOException {
        socket.getOutputStream().write((text + "\r\n").getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().flush();
    }

    private String at() {
        return "smtp://localhost:" + server.getLocalPort() + "?as=box";
    }

    private String failed() {
        long id = tasks.add(at(), MAIL);
        tasks.awaitState(id, "FAIL");
        return tasks.column("concat_ws(' ', sqlstate, error)", id);
    }

    /** Neither the password nor the mail was there to be read on the way. */
    private void assertNothingInTheOpen() {
        assertThat(open).allMatch(each -> each.matches("EHLO localhost|STARTTLS|QUIT"));
    }

    @Test
    void loginAndMail_areSentAfterTls() {
        assertThat(tasks.output(at(), MAIL)).startsWith("250 by TLS");
        assertThat(open).containsExactly("EHLO localhost", "STARTTLS");
        assertThat(encrypted)
                .contains("EHLO localhost", "MAIL FROM:<box@telco.example>", "RCPT TO:<ann@example.com>", "DATA")
                .contains("AUTH PLAIN "
                        + Base64.getEncoder()
                                .encodeToString(("box@telco.example\0box@telco.example\0" + SECRET)
                                        .getBytes(StandardCharsets.UTF_8)));
    }

    /** Answers for what is asked after TLS, put behind the answer that begins it. */
    @Test
    void answersFromBeforeTls_areThrownAway() {
        go = "220 go\r\n250-evil\r\n250 AUTH XOAUTH2\r\n235 accepted\r\n250 evil\r\n250 evil\r\n354 evil\r\n250 evil";
        assertThat(tasks.output(at(), MAIL)).startsWith("250 by TLS");
        assertThat(encrypted).contains("DATA", ".").anyMatch(each -> each.startsWith("AUTH PLAIN"));
        assertNothingInTheOpen();
    }

    @Test
    void serverWithoutStartTls_isLeft() {
        offer = "250-test\r\n250 AUTH PLAIN LOGIN";
        assertThat(failed()).startsWith("W2003 ").contains("The server does not offer STARTTLS.");
        offer = OFFER;
        go = "454 TLS not available";
        assertThat(failed()).as("for now").startsWith("W3004 ");
        assertNothingInTheOpen();
    }

    @Test
    void serverWithAnotherCertificate_isLeft() {
        for (String host : List.of("localhost", "mail.example")) {
            shown = TestCertificate.of(host);
            assertThat(failed()).startsWith("W2003 ERROR:  no secure connection to smtp://localhost:");
        }
        assertNothingInTheOpen();
        assertThat(encrypted).isEmpty();
    }
}
