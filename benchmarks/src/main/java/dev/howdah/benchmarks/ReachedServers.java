package dev.howdah.benchmarks;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.sshd.common.config.keys.PublicKeyEntry;
import org.apache.sshd.common.keyprovider.KeyPairProvider;
import org.apache.sshd.server.SshServer;
import org.apache.sshd.server.command.AbstractCommandSupport;

/**
 * The servers that tasks of the benchmark go to, in this process, whose processor time is not counted: an HTTP server that answers as many
 * bytes as it gets, a mail server that receives, an SSH server whose commands are done at once.
 */
final class ReachedServers implements AutoCloseable {
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer http;
    private final GreenMail mails = new GreenMail(new ServerSetup(0, "127.0.0.1", ServerSetup.PROTOCOL_SMTP));
    private final SshServer ssh = SshServer.setUpDefaultServer();
    private final Path directory;

    ReachedServers() throws IOException {
        directory = Files.createTempDirectory("howdah-reached");
        // Else an answer waits for the client's acknowledgement of its headers, 40 ms.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        http.setExecutor(threads);
        http.createContext("/", exchange -> {
            try (exchange) {
                byte[] body = exchange.getRequestBody().readAllBytes();
                exchange.sendResponseHeaders(200, body.length);
                exchange.getResponseBody().write(body);
            }
        });
        http.start();
        mails.getSmtp().getServerSetup().setServerStartupTimeout(60_000);
        mails.start();
        KeyPair key = key();
        ssh.setHost("127.0.0.1");
        ssh.setPort(0);
        ssh.setKeyPairProvider(KeyPairProvider.wrap(key));
        ssh.setPasswordAuthenticator((user, password, session) -> password.equals("benchmark"));
        ssh.setCommandFactory((channel, command) -> new AbstractCommandSupport(command, null) {
            @Override
            public void run() {
                try {
                    getOutputStream().write(getCommand().getBytes(StandardCharsets.UTF_8));
                    onExit(0);
                } catch (IOException e) {
                    onExit(1);
                }
            }
        });
        ssh.start();
        Path secret = directory.resolve("net");
        Files.writeString(secret, "benchmark");
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        Files.writeString(
                directory.resolve("known_hosts"),
                "[127.0.0.1]:" + ssh.getPort() + " " + PublicKeyEntry.toString(key.getPublic()));
        Files.writeString(settings(), """
                {"senders": ["*@telco.example"],
                 "credentials": {"net": {"kind": "login", "user": "net", "file": "net", "for": "ssh://127.0.0.1:*"}}}
                """);
    }

    private static KeyPair key() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(256);
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The file of {@code --reach}. */
    Path settings() {
        return directory.resolve("reach.json");
    }

    /** The list of {@code --allow}. */
    String places() {
        return "http://127.0.0.1:* smtp://127.0.0.1:* ssh://127.0.0.1:*";
    }

    String http() {
        return "http://127.0.0.1:" + http.getAddress().getPort() + "/echo";
    }

    String mail() {
        return "smtp://127.0.0.1:" + mails.getSmtp().getPort() + "?tls=none";
    }

    String ssh() {
        return "ssh://127.0.0.1:" + ssh.getPort() + "?as=net";
    }

    /** Mails are kept in memory. */
    void forget() throws com.icegreen.greenmail.store.FolderException {
        mails.purgeEmailFromAllMailboxes();
    }

    @Override
    public void close() throws IOException {
        http.stop(0);
        mails.stop();
        ssh.stop(true);
        threads.shutdownNow();
        Directories.delete(directory);
    }
}
