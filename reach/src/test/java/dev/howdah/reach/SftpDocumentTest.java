package dev.howdah.reach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.sshd.common.config.keys.PublicKeyEntry;
import org.apache.sshd.common.file.virtualfs.VirtualFileSystemFactory;
import org.apache.sshd.common.keyprovider.KeyPairProvider;
import org.apache.sshd.server.SshServer;
import org.apache.sshd.sftp.server.SftpSubsystemFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of another host that are documents of the database, by the functions. */
class SftpDocumentTest {
    private final TestDatabase database = TestDatabase.create(TestServer.of(TestServer.NEWEST));
    private final SshServer server = SshServer.setUpDefaultServer();
    private ReachingTasks tasks;

    @TempDir
    Path directory;

    @BeforeEach
    void serve() throws IOException, GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(256);
        KeyPair host = generator.generateKeyPair();
        Files.createDirectories(directory.resolve("files/out"));
        Files.createDirectories(directory.resolve("files/done"));
        server.setHost("127.0.0.1");
        server.setPort(0);
        server.setKeyPairProvider(KeyPairProvider.wrap(host));
        server.setPasswordAuthenticator((user, password, session) -> password.equals("s3cr3t-login"));
        server.setSubsystemFactories(List.of(new SftpSubsystemFactory()));
        server.setFileSystemFactory(new VirtualFileSystemFactory(directory.resolve("files")));
        server.start();
        Files.writeString(
                directory.resolve("known_hosts"),
                "[127.0.0.1]:" + server.getPort() + " " + PublicKeyEntry.toString(host.getPublic()) + "\n");
        Path login = Files.writeString(directory.resolve("login"), "s3cr3t-login");
        Files.setPosixFilePermissions(login, PosixFilePermissions.fromString("rw-------"));
        Path file = Files.writeString(directory.resolve("reach.json"), """
                {"credentials": {"bank": {"kind": "login", "user": "bank", "file": "login", "for": "sftp://127.0.0.1:*"}}}
                """);
        database.execute("ALTER DATABASE " + database.name() + " SET pg_task.functions = on");
        tasks = new ReachingTasks(database, ReachSettings.of(List.of("sftp://127.0.0.1:*"), file, Map.of()));
    }

    @AfterEach
    void close() throws IOException {
        tasks.close();
        server.stop(true);
        database.close();
    }

    private long add(String call) {
        return Long.parseLong(database.value("SELECT " + call));
    }

    private String sftp(String path, String more) {
        return "howdah.sftp('sftp://127.0.0.1:" + server.getPort() + path + "', credential => 'bank'" + more + ")";
    }

    @Test
    void document_isPut_gotAndMoved() throws IOException {
        database.execute("SELECT howdah.template('note', '<p>Счёт</p>')");
        long pdf = add("howdah.pdf('note')");
        long put = add(sftp("/out/%D1%81%2017.pdf", ", document_of => " + pdf));
        tasks.awaitState(put, "DONE");
        Path there = directory.resolve("files/out/с 17.pdf");
        assertThat(Files.readAllBytes(there)).startsWith("%PDF".getBytes(StandardCharsets.US_ASCII));
        assertThat(database.value("SELECT sha256(bytes) = sha256('\\x" + hex(Files.readAllBytes(there))
                        + "') FROM howdah.document"))
                .isEqualTo("t");

        byte[] large = new byte[3 << 20];
        new Random(1).nextBytes(large);
        Files.write(directory.resolve("files/out/day.zip"), large);
        long text = add(sftp("/out/day.zip", ", attempts => 1"));
        tasks.awaitState(text, "FAIL");
        assertThat(tasks.column("error", text))
                .contains("has more than 1024 KiB\nHINT:  With the option answer=document");
        long got = add(sftp("/out/day.zip", ", answer => 'document'"));
        tasks.awaitState(got, "DONE");
        assertThat(database.value("SELECT concat_ws('|', d.name, d.type, octet_length(d.bytes), d.expires - d.created,"
                        + " t.output = 'document ' || d.id) FROM howdah.document d JOIN task t ON t.id = d.task"
                        + " WHERE t.id = " + got))
                .isEqualTo("day.zip|application/zip|" + large.length + "|7 days|t");
        long again =
                add(sftp("/done/copy.zip", ", document => substr('" + tasks.column("output", got) + "', 10)::uuid"));
        tasks.awaitState(again, "DONE");
        assertThat(directory.resolve("files/done/copy.zip")).hasBinaryContent(large);

        long moved = add(sftp("/out/day.zip", ", move_to => '/done/day.zip'"));
        tasks.awaitState(moved, "DONE");
        assertThat(directory.resolve("files/done/day.zip")).hasBinaryContent(large);
        assertThat(directory.resolve("files/out/day.zip")).doesNotExist();
        for (String each : List.of(
                sftp("/a", ", content => 'x', document_of => 1"),
                sftp("/a", ", document_of => 1, document => '6b1f0a3e-0000-4000-8000-000000000000'"),
                sftp("/a", ", op => 'get', document_of => 1"),
                sftp("/a", ", op => 'move'"),
                sftp("/a", ", op => 'get', move_to => '/b'")))
            assertThatThrownBy(() -> add(each)).as(each).isInstanceOf(AssertionError.class);
    }

    private static String hex(byte[] bytes) {
        return java.util.HexFormat.of().formatHex(bytes);
    }
}
