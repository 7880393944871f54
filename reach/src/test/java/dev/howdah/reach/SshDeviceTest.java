package dev.howdah.reach;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.sshd.common.config.keys.PublicKeyEntry;
import org.apache.sshd.common.keyprovider.KeyPairProvider;
import org.apache.sshd.server.SshServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Devices that talk only in a shell, other than the router of {@link SshTaskTest}: their prompts, words and pages. */
@PostgresTest
@Tag("long")
class SshDeviceTest {
    private static final String BOLD = "\u001b[1m";
    private static final String PLAIN = "\u001b[0m";

    private final TestDatabase database;
    private final SshServer server = SshServer.setUpDefaultServer();
    private final Queue<String> lines = new ConcurrentLinkedQueue<>();
    private ReachingTasks tasks;

    /** Of the device, and what it answers to a line. */
    private volatile String prompt = "> ";

    private volatile Map<String, String> answers = Map.of();

    @TempDir
    Path directory;

    SshDeviceTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeEach
    void serve() throws IOException, GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(256);
        KeyPair host = generator.generateKeyPair();
        server.setHost("127.0.0.1");
        server.setPort(0);
        server.setKeyPairProvider(KeyPairProvider.wrap(host));
        server.setPasswordAuthenticator((user, password, session) -> password.equals("s3cr3t-login"));
        server.setShellFactory(channel -> new Shell());
        server.start();
        Path login = Files.writeString(directory.resolve("login"), "s3cr3t-login");
        Files.setPosixFilePermissions(login, PosixFilePermissions.fromString("rw-------"));
        Files.writeString(
                directory.resolve("known_hosts"),
                "[127.0.0.1]:" + server.getPort() + " " + PublicKeyEntry.toString(host.getPublic()) + "\n");
        Path file = Files.writeString(directory.resolve("reach.json"), """
                {"credentials": {"net": {"kind": "login", "user": "net", "file": "login", "for": "ssh://127.0.0.1:*"}}}
                """);
        tasks = new ReachingTasks(database, ReachSettings.of(List.of("ssh://127.0.0.1:*"), file, Map.of()));
    }

    @AfterEach
    void close() throws IOException {
        tasks.close();
        server.stop(true);
    }

    private String at(String device) {
        return "ssh://127.0.0.1:" + server.getPort() + "?as=net&device=" + device;
    }

    @Test
    void routerOs_inColours_isAskedAndRefuses() {
        prompt = "[" + BOLD + "admin" + PLAIN + "@r17] > ";
        answers = Map.of(
                "/interface print", BOLD + "0  R  ether1\n1     ether2" + PLAIN + "\n",
                "/interface enable ether2", "",
                "/bogus", "bad command name bogus (line 1 column 2)\n");
        assertThat(tasks.output(at("routeros"), "/interface enable ether2\n/interface print"))
                .isEqualTo("0  R  ether1\n1     ether2\n");
        assertThat(tasks.error(at("routeros"), "/bogus\n/interface enable ether2"))
                .startsWith("ERROR:  the device refused line 1: \"/bogus\"");
        assertThat(lines).containsExactly("/interface enable ether2", "/interface print", "/quit", "/bogus");
    }

    @Test
    void junos_withPages_isAskedAndRefuses() {
        prompt = "net@r17> ";
        answers = Map.of(
                "set cli screen-length 0", "Screen length set to 0\n",
                "show version", "Hostname: r17\n---(more)---\f",
                "show bogus", "           ^\nsyntax error, expecting <command>.\n");
        assertThat(tasks.output(at("junos"), "show version")).isEqualTo("Hostname: r17\nend of page\n");
        assertThat(tasks.error(at("junos"), "show bogus"))
                .startsWith("ERROR:  the device refused line 1: \"show bogus\"\nDETAIL:  syntax error");
        assertThat(lines).startsWith("set cli screen-length 0", "show version", "exit");
    }

    @Test
    void promptOfOnesOwn_andLinesThatBeginWithAt() {
        prompt = "$ ";
        answers = Map.of("@status", "fine\n", "menu", "1 one\nchoice: ", "1", "chosen\n");
        assertThat(tasks.output(at("generic"), "@prompt (choice:|[$])\nmenu\n1"))
                .isEqualTo("1 one\nchosen\n");
        assertThat(tasks.output(at("generic"), "@@status\nmenu\n@expect choice:\n1"))
                .isEqualTo("fine\n1 one\nchosen\n");
        assertThat(tasks.error(at("generic"), "@sing\nx")).contains("line 1 is none of @expect, @prompt,");
        assertThat(tasks.error(at("generic"), "a\u0001b")).contains("line 1 has a control character");
        assertThat(tasks.error(at("vms"), "x")).contains("there is no device vms, but generic, ios, junos, routeros");
    }

    /** Echoes each line, and has its answer before the next prompt; a form feed in an answer waits for a key. */
    private final class Shell extends TestShell {
        @Override
        void talk(BufferedReader from) throws IOException {
            print(prompt);
            for (String line = from.readLine(); line != null; line = from.readLine()) {
                lines.add(line);
                if (line.equals("exit") || line.equals("/quit")) break;
                String answer = answers.getOrDefault(line, "");
                print(line + "\n" + answer.replace("\f", ""));
                if (answer.endsWith("\f")) {
                    if (from.read() != ' ') break;
                    print("\r            \rend of page\n");
                }
                if (!answer.endsWith(": ")) print(prompt);
            }
            exit.onExit(0);
        }
    }
}
