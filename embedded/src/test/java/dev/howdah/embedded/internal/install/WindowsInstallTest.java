package dev.howdah.embedded.internal.install;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.embedded.internal.system.DirectoryLayout;
import dev.howdah.embedded.internal.system.PrivateFile;
import dev.howdah.embedded.internal.system.ServerUser;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Windows has not, in a file system without permissions: that of a zip file. */
class WindowsInstallTest {
    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path directory;

    @Test
    void archive_ofWindows_isNamedByItsSystem() {
        assertThat(PostgresArchive.resourceName("Windows Server 2022", "amd64"))
                .isEqualTo("postgres-windows-x86_64.txz");
        assertThat(PostgresArchive.resourceName("Windows 11", "aarch64")).isEqualTo("postgres-windows-arm_64.txz");
    }

    @Test
    void unpacking_withoutPermissions_hasAllFiles() throws IOException {
        Path packed = packed("bin/postgres.exe", "a program");
        try (FileSystem zip = withoutPermissions()) {
            Path target = Files.createDirectory(zip.getPath("/pg"));
            TarXz.unpack(packed.toUri().toURL(), target);
            assertThat(target.resolve("bin/postgres.exe")).hasContent("a program");
        }
    }

    @Test
    void directoryAndFiles_withoutPermissions_areMade() throws IOException {
        try (FileSystem zip = withoutPermissions()) {
            Path home = DirectoryLayout.in(zip.getPath("/home/howdah")).directory();
            PrivateFile.create(home.resolve("howdah.lock"));
            PrivateFile.create(home.resolve("howdah.lock"));
            PrivateFile.write(home.resolve("howdah.owner"), "42");
            assertThat(home.resolve("howdah.owner")).hasContent("42");
        }
    }

    @Test
    void settings_ofAServerOfTheSameUser_areWrittenWithoutAShell() throws IOException {
        ServerUser user = new ServerUser(-1, -1, true);
        user.write(directory, "a.conf", "one\n", false);
        user.write(directory, "a.conf", "two\n", false);
        user.write(directory, "a.conf", "three\n", true);
        assertThat(directory.resolve("a.conf")).hasContent("two\nthree\n");
    }

    private FileSystem withoutPermissions() throws IOException {
        return FileSystems.newFileSystem(directory.resolve("files.zip"), Map.of("create", "true"));
    }

    private Path packed(String name, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        Path file = directory.resolve("postgres.txz");
        try (OutputStream out = Files.newOutputStream(file);
                TarArchiveOutputStream tar = new TarArchiveOutputStream(new XZCompressorOutputStream(out))) {
            TarArchiveEntry entry = new TarArchiveEntry(name);
            entry.setSize(bytes.length);
            tar.putArchiveEntry(entry);
            tar.write(bytes);
            tar.closeArchiveEntry();
        }
        return file;
    }
}
