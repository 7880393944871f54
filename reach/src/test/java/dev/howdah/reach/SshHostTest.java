package dev.howdah.reach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.sshd.common.config.keys.KeyUtils;
import org.apache.sshd.common.config.keys.PublicKeyEntry;
import org.apache.sshd.common.config.keys.writer.openssh.OpenSSHKeyEncryptionContext;
import org.apache.sshd.common.config.keys.writer.openssh.OpenSSHKeyPairResourceWriter;
import org.apache.sshd.common.kex.BuiltinDHFactories;
import org.apache.sshd.common.keyprovider.KeyPairProvider;
import org.apache.sshd.server.Environment;
import org.apache.sshd.server.ServerBuilder;
import org.apache.sshd.server.Signal;
import org.apache.sshd.server.SshServer;
import org.apache.sshd.server.channel.ChannelSession;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What hosts show and say before a command runs, with the server of MINA: keys of all kinds, old algorithms, silence. */
@PostgresTest
class SshHostTest {
    static {
        // The server knows keys of Ed25519 when the client does.
        try (TaskReach reach = new TaskReach(ReachSettings.of(List.of()))) {
            reach.scheme("ssh");
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private final TestDatabase database;
    private final SshServer server = SshServer.setUpDefaultServer();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final KeyPair user = key("Ed25519", 255);

    @SuppressWarnings("NullAway.Init") // serve sets it
    private ReachingTasks tasks;

    @TempDir
    Path directory;

    SshHostTest(TestDatabase database) {
        this.database = database;
    }

    private static KeyPair key(String algorithm, int size) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
            generator.initialize(size);
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Starts a host with these keys, which is known by some of them. */
    private void serve(List<KeyPair> keys, List<KeyPair> known, String more) throws Exception {
        server.setHost("127.0.0.1");
        server.setPort(0);
        server.setKeyPairProvider(KeyPairProvider.wrap(keys));
        server.setPublickeyAuthenticator((name, key, session) -> KeyUtils.compareKeys(key, user.getPublic()));
        server.setPasswordAuthenticator((name, password, session) -> false);
        server.setCommandFactory((channel, command) -> new Said(command));
        server.setShellFactory(channel -> new Said("silence"));
        server.start();
        Files.writeString(directory.resolve("known_hosts"), "");
        for (KeyPair each : known)
            Files.writeString(
                    directory.resolve("known_hosts"),
                    Files.readString(directory.resolve("known_hosts")) + "[127.0.0.1]:" + server.getPort() + " "
                            + PublicKeyEntry.toString(each.getPublic()) + "\n");
        secret("pkcs8", pkcs8());
        secret("openssh", openSsh(null));
        secret("locked", openSsh("s3cr3t-phrase"));
        secret("phrase", "s3cr3t-phrase");
        String key = "{\"kind\": \"key\", \"user\": \"net\", \"for\": \"ssh://127.0.0.1:*\", \"file\": ";
        Files.writeString(directory.resolve("reach.json"), """
                {"credentials": {"pkcs8": %1$s"pkcs8"}, "openssh": %1$s"openssh"},
                  "locked": %1$s"locked", "secrets": {"passphrase": {"file": "phrase"}}}}%2$s}
                """.formatted(key, more));
        tasks = new ReachingTasks(
                database, ReachSettings.of(List.of("ssh://127.0.0.1:*"), directory.resolve("reach.json"), Map.of()));
    }

    private void secret(String name, String text) throws IOException {
        Path file = directory.resolve(name);
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    private String pkcs8() {
        return "-----BEGIN PRIVATE KEY-----\n"
                + Base64.getMimeEncoder().encodeToString(user.getPrivate().getEncoded())
                + "\n-----END PRIVATE KEY-----\n";
    }

    private String openSsh(@Nullable String passphrase) throws Exception {
        OpenSSHKeyEncryptionContext lock = null;
        if (passphrase != null) {
            lock = new OpenSSHKeyEncryptionContext();
            lock.setPassword(passphrase);
            lock.setCipherName("AES");
            lock.setCipherType("256");
            lock.setCipherMode("CTR");
        }
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        OpenSSHKeyPairResourceWriter.INSTANCE.writePrivateKey(user, "test", lock, text);
        return text.toString(StandardCharsets.US_ASCII);
    }

    @AfterEach
    void close() throws IOException {
        tasks.close();
        server.stop(true);
    }

    private String at(String options) {
        return "ssh://127.0.0.1:" + server.getPort() + "?" + options;
    }

    /** Says its own text, or runs until it is asked to end. */
    private final class Said extends TestCommand {
        private final String text;

        Said(String text) {
            this.text = text;
        }

        @Override
        public void start(ChannelSession channel, Environment environment) throws IOException {
            if (text.equals("silence")) return;
            if (text.equals("wait")) {
                environment.addSignalListener(
                        (from, signal) -> {
                            ended.countDown();
                            exit.onExit(1);
                        },
                        Signal.TERM);
                return;
            }
            say(text);
            exit.onExit(0);
        }
    }

    @Test
    void keysOfEd25519_ofHostAndUser_areUsedInAllForms() throws Exception {
        KeyPair host = key("Ed25519", 255);
        serve(List.of(key("EC", 256), host), List.of(host), "");
        for (String each : List.of("pkcs8", "openssh", "locked"))
            assertThat(tasks.output(at("as=" + each), each)).isEqualTo(each);
    }

    @Test
    void host_thatIsKnownByOneOfItsKeys_showsThatOne() throws Exception {
        KeyPair rsa = key("RSA", 2048);
        serve(List.of(key("EC", 256), key("Ed25519", 255), rsa), List.of(rsa), "");
        assertThat(tasks.output(at("as=pkcs8"), "x")).isEqualTo("x");
        Files.writeString(directory.resolve("known_hosts"), "");
        assertThat(tasks.error(at("as=pkcs8"), "x")).contains("is not trusted", "it is not known;");
    }

    @Test
    void host_thatKnowsOldExchangesAlone_isReachedWhereItIsNamed() throws Exception {
        KeyPair host = key("RSA", 2048);
        server.setKeyExchangeFactories(
                List.of(ServerBuilder.DH2KEX.apply(BuiltinDHFactories.resolveFactory("diffie-hellman-group14-sha1"))));
        serve(List.of(host), List.of(host), "");
        assertThat(tasks.error(at("as=pkcs8"), "x"))
                .startsWith("ERROR:  no secure connection to ssh://127.0.0.1:")
                .contains("diffie-hellman-group14-sha1", "HINT:  ", "\"legacy\"");
        Files.writeString(
                directory.resolve("reach.json"),
                Files.readString(directory.resolve("reach.json"))
                        .replaceFirst("\\{", "{\"legacy\": [\"ssh://127.0.0.1:*\"], "));
        tasks.reach.settings(ReachSettings.of(List.of("ssh://127.0.0.1:*"), directory.resolve("reach.json"), Map.of()));
        assertThat(tasks.output(at("as=pkcs8"), "x")).isEqualTo("x");
        Files.writeString(directory.resolve("reach.json"), "{\"legacy\": [\"https://api.example\"]}");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ReachSettings.of(List.of(), directory.resolve("reach.json"), Map.of()))
                .withMessageContaining("\"legacy\" has to be a list of hosts");
    }

    @Test
    void command_thatTakesTooLong_isAskedToEnd() throws Exception {
        KeyPair host = key("EC", 256);
        serve(List.of(host), List.of(host), "");
        long id = tasks.add(at("as=pkcs8"), "wait", "timeout", "'2 s'");
        tasks.awaitState(id, "FAIL");
        assertThat(tasks.column("error", id)).contains("was not done within 2 s");
        assertThat(ended.await(1, TimeUnit.MINUTES)).isTrue();
    }

    /** A server that is too busy, and may have time later. */
    @Test
    void host_thatEndsTheConnectionAtOnce_isTriedAgain() throws Exception {
        KeyPair host = key("EC", 256);
        serve(List.of(host), List.of(host), "");
        try (ServerSocket busy = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread closer = new Thread(() -> {
                try {
                    while (true) busy.accept().close();
                } catch (IOException e) {
                    // The test is over.
                }
            });
            closer.start();
            long id = tasks.add(
                    "ssh://127.0.0.1:" + busy.getLocalPort() + "?as=pkcs8", "x", "attempts, backoff", "2, '1 hour'");
            tasks.awaitState(id, "FAIL");
            assertThat(tasks.column("error", id))
                    .startsWith("ERROR:  ssh://127.0.0.1:" + busy.getLocalPort() + " cannot be reached");
            assertThat(tasks.column("retry", id)).isNotEqualTo("null");
        }
    }

    @Test
    @Tag("long")
    void host_thatSaysNothing_isNotWaitedForLongerThanTenSeconds() throws Exception {
        KeyPair host = key("EC", 256);
        serve(List.of(host), List.of(host), "");
        long shell = tasks.add(at("as=pkcs8&device=ios"), "show version");
        try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            String place = "ssh://127.0.0.1:" + silent.getLocalPort();
            long id = tasks.add(place + "?as=pkcs8", "x", "attempts, backoff", "2, '1 hour'");
            tasks.awaitState(id, "FAIL");
            assertThat(tasks.column("error", id))
                    .isEqualTo("ERROR:  " + place + " cannot be reached\nDETAIL:  it did not answer within 10 s");
            assertThat(tasks.column("retry", id)).isNotEqualTo("null");
        }
        tasks.awaitState(shell, "FAIL");
        assertThat(tasks.column("error", shell))
                .isEqualTo("ERROR:  the prompt did not come within 10 s after the login");
    }
}
