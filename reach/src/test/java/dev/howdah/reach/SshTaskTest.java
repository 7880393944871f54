package dev.howdah.reach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.apache.sshd.common.config.keys.PublicKeyEntry;
import org.apache.sshd.common.file.virtualfs.VirtualFileSystemFactory;
import org.apache.sshd.common.keyprovider.KeyPairProvider;
import org.apache.sshd.common.session.Session;
import org.apache.sshd.common.session.SessionListener;
import org.apache.sshd.server.SshServer;
import org.apache.sshd.server.shell.ProcessShellCommandFactory;
import org.apache.sshd.sftp.server.SftpSubsystemFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tasks at other hosts, with the server of MINA: commands, a router that talks only in a shell, files. */
@PostgresTest
class SshTaskTest {
    private final TestDatabase database;
    private final SshServer server = SshServer.setUpDefaultServer();
    private KeyPair hostKey = newKey();
    private ReachingTasks tasks;

    @TempDir
    Path directory;

    SshTaskTest(TestDatabase database) {
        this.database = database;
    }

    private static KeyPair newKey() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(256);
            return generator.generateKeyPair();
        } catch (java.security.GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    @BeforeEach
    void serve() throws IOException {
        Files.createDirectory(directory.resolve("files"));
        server.setHost("127.0.0.1");
        server.setPort(0);
        server.setKeyPairProvider(KeyPairProvider.wrap(hostKey));
        server.setPasswordAuthenticator(
                (user, password, session) -> user.equals("switch") && password.equals("s3cr3t-login"));
        server.setCommandFactory(ProcessShellCommandFactory.INSTANCE);
        server.setShellFactory(channel -> new Router());
        server.setSubsystemFactories(List.of(new SftpSubsystemFactory()));
        server.setFileSystemFactory(new VirtualFileSystemFactory(directory.resolve("files")));
        server.start();
        secret("login", "s3cr3t-login");
        secret("wrong", "s3cr3t-wrong");
        secret("enable", "s3cr3t-enable");
        Files.writeString(directory.resolve("reach.json"), """
                {"knownHosts": "known_hosts", "credentials": {
                  "net": {"kind": "login", "user": "switch", "file": "login", "secrets": {"enable": {"file": "enable"}},
                          "for": ["ssh://127.0.0.1:*=postgres", "sftp://127.0.0.1:*=postgres"]},
                  "bad": {"kind": "login", "user": "switch", "file": "wrong", "for": "ssh://127.0.0.1:*"}}}
                """);
        Files.writeString(directory.resolve("known_hosts"), known(hostKey));
        tasks = new ReachingTasks(database, settings());
    }

    private ReachSettings settings() {
        return ReachSettings.of(
                List.of("ssh://127.0.0.1:*", "sftp://127.0.0.1:*/out/*"), directory.resolve("reach.json"), Map.of());
    }

    private void secret(String name, String text) throws IOException {
        Path file = directory.resolve(name);
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    private String known(KeyPair key) {
        return "[127.0.0.1]:" + server.getPort() + " " + PublicKeyEntry.toString(key.getPublic()) + "\n";
    }

    @AfterEach
    void close() throws IOException {
        tasks.close();
        server.stop(true);
    }

    private String at(String options) {
        return "ssh://switch@127.0.0.1:" + server.getPort() + "?" + options;
    }

    @Test
    void command_endsWithItsOutputOrItsExitCode() {
        assertThat(tasks.output(at("as=net"), "echo hello")).isEqualTo("hello\n");
        assertThat(tasks.output(at("as=net"), "cat; echo end"))
                .as("standard input is empty")
                .isEqualTo("end\n");
        assertThat(tasks.error(at("as=net"), "ls /no/such/file"))
                .matches("(?s)ERROR:  exit code [12]\nDETAIL:  .*No such file.*");
        assertThat(tasks.error(at("as=net"), "yes")).endsWith("answered more than 1024 KiB");
        assertThat(tasks.error(at("as=net"), "printf 'caf\\351 closed' >&2; exit 3"))
                .isEqualTo("ERROR:  exit code 3\nDETAIL:  caf\ufffd closed");
        assertThat(tasks.error(at("as=net"), "seq 1 30000 >&2; printf '\\377'; exit 3"))
                .startsWith("ERROR:  exit code 3\n")
                .endsWith(" 29999 30000");
        // In place of the shell, which the server ends with the connection.
        String sleep = "sleep " + (100_000 + ProcessHandle.current().pid());
        long id = tasks.add(at("as=net"), "exec " + sleep, "timeout", "'1 s'");
        tasks.awaitState(id, "FAIL");
        assertThat(tasks.column("error", id)).contains("was not done within 1 s");
        await().atMost(Patience.LIMIT)
                .until(() -> ProcessHandle.allProcesses()
                        .noneMatch(each -> each.info()
                                .commandLine()
                                .filter(line -> line.endsWith(sleep))
                                .isPresent()));
    }

    @Test
    void command_withAnswerAsJson_hasItsStandardErrorApart() {
        assertThat(tasks.output(at("as=net&answer=json"), "echo a; printf 'caf\\351' >&2"))
                .isEqualTo("{\"exit\":0,\"stdout\":\"a\\n\",\"stderr\":\"caf\ufffd\"}");
        assertThat(tasks.output(at("as=net&answer=json"), "printf '\\377'"))
                .isEqualTo("{\"exit\":0,\"stdout_base64\":\"/w==\",\"stderr\":\"\"}");
        assertThat(tasks.error(at("as=net&answer=json"), "echo a; echo b >&2; exit 3"))
                .isEqualTo("ERROR:  exit code 3\nDETAIL:  b");
        assertThat(tasks.error(at("as=net"), "printf '\\377'")).contains("no text", "answer=json");
        assertThat(tasks.error(at("as=net&answer=xml"), "echo a")).contains("text or json, not \"xml\"");
        assertThat(tasks.error(at("as=net&answer=json&device=ios"), "show version"))
                .contains("for commands");
    }

    @Test
    void connection_isUsedAgain_andReplacedWhenItIsDead() throws IOException {
        AtomicInteger sessions = new AtomicInteger();
        server.addSessionListener(new SessionListener() {
            @Override
            public void sessionCreated(Session session) {
                sessions.incrementAndGet();
            }
        });
        for (int i = 0; i < 3; i++)
            assertThat(tasks.output(at("as=net"), "echo " + i)).isEqualTo(i + "\n");
        assertThat(tasks.error(at("as=net"), "exit 3")).startsWith("ERROR:  exit code 3");
        assertThat(sessions).hasValue(1);
        server.getActiveSessions().forEach(each -> each.close(true));
        assertThat(tasks.output(at("as=net"), "echo again")).isEqualTo("again\n");
        assertThat(sessions).hasValue(2);
        for (int i = 0; i < 2; i++) tasks.output(at("as=net&device=ios"), "show version");
        assertThat(tasks.output(at("as=net"), "echo x")).isEqualTo("x\n");
        assertThat(sessions).as("a connection ends with its shell").hasValue(4);
        // Whom the file no longer knows, a kept connection does not either.
        Files.writeString(directory.resolve("known_hosts"), "");
        assertThat(tasks.error(at("as=net"), "echo x")).contains("it is not known;");
    }

    @Test
    void host_thatIsUnknownOrHasAnotherKey_isNotLoggedInTo() throws IOException {
        Files.writeString(directory.resolve("known_hosts"), known(newKey()));
        assertThat(tasks.error(at("as=net"), "echo x"))
                .startsWith("ERROR:  the host of ssh://127.0.0.1:" + server.getPort()
                        + " is not trusted\nDETAIL:  its key has changed;")
                .contains("SHA256:");
        Files.writeString(directory.resolve("known_hosts"), "");
        assertThat(tasks.error(at("as=net"), "echo x")).contains("it is not known;");
        Files.writeString(directory.resolve("known_hosts"), known(hostKey) + "@revoked " + known(hostKey));
        assertThat(tasks.error(at("as=net"), "echo x")).contains("its key is revoked");
    }

    @Test
    void host_thatIsKnownByAHashedName_isReached() throws Exception {
        Mac mac = Mac.getInstance("HmacSHA1");
        byte[] salt = "0123456789abcdef0123".getBytes(StandardCharsets.US_ASCII);
        mac.init(new SecretKeySpec(salt, "HmacSHA1"));
        String line = known(hostKey);
        int blank = line.indexOf(' ');
        Base64.Encoder base64 = Base64.getEncoder();
        String hashed = "|1|" + base64.encodeToString(salt) + "|"
                + base64.encodeToString(mac.doFinal(line.substring(0, blank).getBytes(StandardCharsets.US_ASCII)));
        Files.writeString(directory.resolve("known_hosts"), hashed + line.substring(blank));
        assertThat(tasks.output(at("as=net"), "echo x")).isEqualTo("x\n");
    }

    @Test
    void probe_saysWhetherHostAndLoginAreRight() throws IOException {
        assertThat(ReachingTasks.steps(settings(), at("as=net")))
                .contains(
                        "OK tcp: port " + server.getPort() + " answers", "OK host key: SHA256:", "OK login: as switch");
        assertThat(ReachingTasks.steps(settings(), at("as=bad")))
                .contains("OK host key: SHA256:", "FAILED login: ssh://127.0.0.1:", "refused the login")
                .doesNotContain("s3cr3t");
        Files.writeString(directory.resolve("known_hosts"), known(newKey()));
        assertThat(ReachingTasks.steps(settings(), at("as=net")))
                .contains("FAILED host key: the host of ssh://127.0.0.1:", "its key has changed;")
                .doesNotContain(" login: ");
    }

    @Test
    void login_thatIsRefusedOrMissing_isNotTriedAgain() {
        long id = tasks.add(at("as=bad"), "echo x", "attempts", "3");
        tasks.awaitState(id, "FAIL");
        assertThat(tasks.column("sqlstate", id)).isEqualTo("W2005");
        assertThat(tasks.column("error", id)).contains("refused the login").doesNotContain("s3cr3t");
        assertThat(tasks.column("retry", id)).isEqualTo("null");
        assertThat(tasks.error(at("device=ios"), "show")).contains("needs a credential");
        assertThat(tasks.error("ssh://root@127.0.0.1:" + server.getPort() + "?as=net", "id"))
                .contains("is for another user than root");
    }

    @Test
    @Tag("long")
    void router_thatTalksInAShell_isSwitched() {
        String output = tasks.output(at("as=net&device=ios"), """
                show version
                enable
                @expect assword:
                @secret enable
                configure terminal
                interface Gi0/7
                no shutdown
                end
                """);
        assertThat(output).isEqualTo("page 1\npage 2\n");
        assertThat(tasks.error(
                        at("as=net&device=ios"),
                        "enable\n@expect assword:\n@secret enable\nconfigure terminal\nbogus\nend"))
                .isEqualTo("ERROR:  the device refused line 5: \"bogus\"\nDETAIL:  % Invalid input");
        assertThat(tasks.output(at("as=net&device=ios"), "@optional\nbogus\nno shutdown"))
                .isEqualTo("% Invalid input\n");
        assertThat(tasks.error(at("as=net&device=ios"), "@optional\nno shutdown\nbogus"))
                .startsWith("ERROR:  the device refused line 3: \"bogus\"");
    }

    @Test
    void prompt_thatNeverComes_endsWithWhatWasSeen() {
        assertThat(tasks.error(at("as=net&device=ios"), "@timeout 1s\nhang"))
                .startsWith("ERROR:  the prompt did not come within 1 s after line 2: \"hang\"\nDETAIL:  hang");
    }

    @Test
    void secretInTheRow_isRefusedWithoutItsValue() {
        for (String each : List.of("ssh://switch:s3cret@127.0.0.1", "ssh://127.0.0.1?password=s3cret"))
            assertThat(tasks.error(each, "id"))
                    .startsWith("ERROR:  remote must not contain a credential: ")
                    .endsWith("and write ?as=NAME here.")
                    .doesNotContain("s3cret");
    }

    @Test
    @Tag("long")
    void pattern_thatTakesForever_isCutOff() {
        assertThat(tasks.error(at("as=net&device=ios"), "a".repeat(60) + "\n@expect (a|aa)+\\1!"))
                .contains("line 2: the pattern takes too long");
    }

    @Test
    void file_isPutAsAWholeAndRead() throws IOException {
        Files.createDirectory(directory.resolve("files/out"));
        String file = "sftp://switch@127.0.0.1:" + server.getPort() + "/out/day.csv?as=net";
        tasks.output(file, "a,я\n");
        tasks.output(file, "b\n");
        assertThat(Files.readString(directory.resolve("files/out/day.csv"))).isEqualTo("b\n");
        try (var all = Files.list(directory.resolve("files/out"))) {
            assertThat(all).hasSize(1);
        }
        assertThat(tasks.output(file, "")).isEqualTo("b\n");
        assertThat(tasks.output(file.replace("/day.csv?", "/?op=list&"), "")).isEqualTo("day.csv\t2\tfile");
        assertThat(tasks.error(file.replace("day.csv", "none"), "")).contains("refused to get");
        assertThat(tasks.error(file.replace("/out/", "/out/../"), "x")).contains("may not reach");
        assertThat(tasks.error(file.replace("/out/", "/etc/"), "x")).contains("may not reach");
        for (String each : List.of("%2e%2e/secret", "a/%2e%2e%2f%2e%2e/secret", "..%5csecret", "a//../../secret"))
            assertThat(tasks.error(file.replace("day.csv", each), "x")).as(each).contains("may not reach");
        try (RandomAccessFile large =
                new RandomAccessFile(directory.resolve("files/out/large").toFile(), "rw")) {
            large.setLength(10L << 30); // takes no room on the disk
        }
        assertThat(tasks.error(file.replace("day.csv", "large"), ""))
                .contains("/out/large has more than 1024 KiB\nHINT:  ");
        assertThat(tasks.output(file + "&op=move&to=/out/new%20day.csv", "")).isEqualTo("moved");
        assertThat(tasks.output(file + "&op=move&to=/out/new%20day.csv", "")).isEqualTo("moved before");
        tasks.output(file, "c");
        assertThat(tasks.error(file + "&op=move&to=/out/new%20day.csv", ""))
                .contains("there is a file /out/new day.csv");
        for (String each : List.of("/etc/day.csv", "/out/../day.csv", "/out/%2e%2e/day.csv", "/out//day.csv"))
            assertThat(tasks.error(file + "&op=move&to=" + each, ""))
                    .as(each)
                    .containsPattern("may not reach|has no \\.\\. and");
        assertThat(tasks.error(file + "&op=move", "")).contains("the option to is the new name of a file");
        assertThat(tasks.error(file + "&op=move&to=day.csv", "")).contains("the whole path of a file");
        tasks.output(file + "&op=delete", "");
        assertThat(directory.resolve("files/out/day.csv")).doesNotExist();
    }

    @Test
    void link_thatMayLeadOutOfTheFolder_isNotFollowed() throws IOException {
        Path out = Files.createDirectory(directory.resolve("files/out"));
        Path secret = Files.createDirectory(directory.resolve("files/secret"));
        Files.writeString(secret.resolve("key"), "s3cr3t-file");
        Files.createSymbolicLink(out.resolve("folder"), Path.of("../secret"));
        Files.createSymbolicLink(out.resolve("file"), Path.of("../secret/key"));
        Files.createDirectory(out.resolve("own"));
        String file = "sftp://switch@127.0.0.1:" + server.getPort() + "/out/%s?as=net";
        for (String each : List.of("folder/key", "file"))
            assertThat(tasks.error(file.formatted(each), ""))
                    .as(each)
                    .matches("ERROR:  /out/(folder|file) is a link, which may lead out of /out");
        assertThat(tasks.error(file.formatted("folder/new"), "x")).contains("/out/folder is a link");
        assertThat(tasks.error(file.formatted("folder/key") + "&op=delete", "")).contains("/out/folder is a link");
        assertThat(tasks.error(file.formatted("folder/") + "&op=list", "")).contains("/out/folder is a link");
        tasks.output(file.formatted("file"), "own");
        assertThat(out.resolve("file")).isRegularFile().hasContent("own");
        assertThat(secret.resolve("key")).hasContent("s3cr3t-file");
        assertThat(secret.resolve("new")).doesNotExist();
        tasks.output(file.formatted("own/day.csv"), "a");
        assertThat(tasks.output(file.formatted("own/day.csv"), "")).isEqualTo("a");
    }

    /** A server that talks without end, or not at all. */
    private String errorOf(byte[] greeting, int millis, String timeout) throws IOException {
        try (ServerSocket loud = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread speaker = new Thread(() -> speak(loud, greeting, millis));
            speaker.start();
            long id = tasks.add(
                    "ssh://switch@127.0.0.1:" + loud.getLocalPort() + "?as=net", "x", "timeout", "'" + timeout + "'");
            tasks.awaitState(id, "FAIL");
            return tasks.column("error", id);
        }
    }

    private static void speak(ServerSocket server, byte[] text, int millis) {
        try (Socket socket = server.accept()) {
            CountDownLatch never = new CountDownLatch(1);
            while (true) {
                socket.getOutputStream().write(text);
                socket.getOutputStream().flush();
                if (millis > 0 && never.await(millis, TimeUnit.MILLISECONDS)) return;
            }
        } catch (IOException | InterruptedException e) {
            // The client has left.
        }
    }

    @Test
    @Tag("long")
    void greeting_withoutEnd_isBoundedInMemoryAndTime() throws IOException {
        for (String each : List.of("x".repeat(8_192), "hello\r\n".repeat(1_000)))
            assertThat(errorOf(each.getBytes(StandardCharsets.US_ASCII), 0, "60 s"))
                    .matches("(?s)ERROR:  ssh://127.0.0.1:\\d+ cannot be reached\nDETAIL:  .*");
        assertThat(errorOf("x".getBytes(StandardCharsets.US_ASCII), 20, "1 s")).contains("was not done within 1 s");
    }

    /** A router that knows a few lines, with echo, colours, a pager and a password. */
    private static final class Router extends TestShell {
        @Override
        void talk(BufferedReader lines) throws IOException {
            String prompt = "\u001b[1mr17\u001b[0m>";
            print("Welcome\n" + prompt);
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                print(line + "\n");
                switch (line) {
                    case "terminal length 0", "interface Gi0/7", "no shutdown" -> {}
                    case "show version" -> {
                        print("page 1\n --More-- ");
                        if (lines.read() != ' ') return;
                        print("\r         \rpage 2\n");
                    }
                    case "enable" -> {
                        print("Password: ");
                        if (!lines.readLine().equals("s3cr3t-enable")) return;
                        print("\n");
                        prompt = "r17#";
                    }
                    case "configure terminal" -> prompt = "r17(config)#";
                    case "end" -> prompt = "r17#";
                    case "hang" -> {
                        continue;
                    }
                    case "exit" -> {
                        exit.onExit(0);
                        return;
                    }
                    default -> print("% Invalid input\n");
                }
                print(prompt);
            }
        }
    }
}
