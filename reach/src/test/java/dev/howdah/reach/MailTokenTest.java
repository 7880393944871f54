package dev.howdah.reach;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.HttpPlace;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestCertificate;
import dev.howdah.fixtures.TestDatabase;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.net.ssl.SSLServerSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Mails by a server that takes tokens, XOAUTH2, and tokens that are written anew. */
@PostgresTest
@Tag("long")
class MailTokenTest {
    private static final String MAIL = "{\"to\": \"ann@example.com\", \"subject\": \"s\", \"text\": \"t\"}";

    private final Queue<String> logins = new ConcurrentLinkedQueue<>();
    private final TestDatabase database;
    private volatile String valid = "token-1";
    private SSLServerSocket server;
    private ReachingTasks tasks;

    @TempDir
    Path directory;

    MailTokenTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeEach
    void serve() throws Exception {
        TestCertificate certificate = TestCertificate.of("localhost");
        server = (SSLServerSocket) ServerTls.of(certificate)
                .getServerSocketFactory()
                .createServerSocket(0, 10, InetAddress.getLoopbackAddress());
        new Thread(this::accept).start();
        Files.writeString(directory.resolve("ca.pem"), certificate.certificate());
        token("token-1");
        Files.writeString(directory.resolve("reach.json"), """
                {"authorities": "ca.pem", "private": ["smtps://localhost:*"], "credentials": {
                  "box": {"kind": "bearer", "user": "box@telco.example", "file": "token", "for": ["smtps://localhost:*", "http://127.0.0.1:*"]},
                  "nobody": {"kind": "bearer", "file": "token", "for": "smtps://localhost:*"}}}
                """);
        tasks = new ReachingTasks(
                database,
                ReachSettings.of(
                        List.of("smtps://localhost:*", "http://127.0.0.1:*"),
                        directory.resolve("reach.json"),
                        Map.of()));
    }

    private void token(String text) throws IOException {
        Path beside = Files.writeString(directory.resolve("token.new"), text);
        Files.setPosixFilePermissions(beside, PosixFilePermissions.fromString("rw-------"));
        Files.move(beside, directory.resolve("token"), StandardCopyOption.REPLACE_EXISTING);
    }

    @AfterEach
    void close() throws IOException {
        tasks.close();
        server.close();
    }

    private void accept() {
        while (!server.isClosed())
            try (Socket socket = server.accept()) {
                talk(socket);
            } catch (IOException e) {
                // The client has left, or the test is over.
            }
    }

    private void talk(Socket socket) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        say(socket, "220 test");
        boolean data = false;
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (data && !line.equals(".")) continue;
            if (line.startsWith("EHLO")) say(socket, "250-test\r\n250 AUTH PLAIN LOGIN XOAUTH2");
            else if (line.startsWith("AUTH ")) login(socket, in, line);
            else {
                data = line.equals("DATA");
                say(socket, data ? "354 go on" : "250 ok");
            }
        }
    }

    /** As Google's and Microsoft's servers do. */
    private void login(Socket socket, BufferedReader in, String line) throws IOException {
        String given =
                new String(Base64.getDecoder().decode(line.replaceFirst("AUTH XOAUTH2 ", "")), StandardCharsets.UTF_8);
        logins.add(given.replace('\1', '|'));
        if (given.equals("user=box@telco.example\1auth=Bearer " + valid + "\1\1")) {
            say(socket, "235 accepted");
            return;
        }
        String reason = "{\"status\": \"401\", \"seen\": \"" + line + " token-1\"}";
        say(socket, "334 " + Base64.getEncoder().encodeToString(reason.getBytes(StandardCharsets.US_ASCII)));
        if (in.readLine() != null) say(socket, "535 5.7.8 not accepted");
    }

    private static void say(Socket socket, String text) throws IOException {
        socket.getOutputStream().write((text + "\r\n").getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().flush();
    }

    private String at(String options) {
        return "smtps://localhost:" + server.getLocalPort() + options;
    }

    @Test
    void token_isGiven_andReadAgainWhenItsFileHasChanged() throws Exception {
        assertThat(tasks.output(at("?as=box"), MAIL)).startsWith("250 ok");
        assertThat(logins).containsExactly("user=box@telco.example|auth=Bearer token-1||");
        valid = "token-2";
        token("token-2");
        assertThat(tasks.output(at("?as=box"), MAIL)).startsWith("250 ok");
        assertThat(logins).contains("user=box@telco.example|auth=Bearer token-2||");
        // What is half written, or for all to read, leaves the one before.
        token("token-3\nof two lines");
        assertThat(tasks.output(at("?as=box"), MAIL)).startsWith("250 ok");
        Files.delete(directory.resolve("token"));
        assertThat(tasks.output(at("?as=box"), MAIL)).startsWith("250 ok");
        Path token = Files.writeString(directory.resolve("token"), "token-4");
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(tasks.output(at("?as=box"), MAIL)).startsWith("250 ok");
        // A connection may have been opened anew meanwhile, with the token of before.
        assertThat(logins.stream().distinct()).hasSize(2);
    }

    @Test
    void token_thatIsRefused_isTriedAgain_andNeverShown() throws Exception {
        valid = "token-2";
        long id = tasks.add(at("?as=box"), MAIL, "attempts, backoff", "2, '3 seconds'");
        tasks.awaitState(id, "FAIL");
        assertThat(tasks.column("error", id))
                .contains(" refused the token\nDETAIL:  {\"status\": \"401\", \"seen\": \"AUTH XOAUTH2 *** ***\"}")
                .doesNotContain("token-1");
        token("token-2");
        long again = Long.parseLong(tasks.column("retry", id));
        tasks.awaitState(again, "DONE");
        assertThat(tasks.error(at("?as=nobody"), MAIL.replace("{", "{\"from\": \"box@telco.example\", ")))
                .contains("has no user, without which a mail server takes no token");
    }

    @Test
    void tokenOfRequests_isReadAgain() throws Exception {
        try (HttpPlace place = new HttpPlace((exchange, seen) -> exchange.sendResponseHeaders(204, -1))) {
            tasks.output(place.address() + "/#as=box", "");
            token("token-9");
            tasks.output(place.address() + "/#as=box", "");
            assertThat(place.seen())
                    .extracting(each -> each.headers().getFirst("Authorization"))
                    .containsExactly("Bearer token-1", "Bearer token-9");
        }
    }
}
