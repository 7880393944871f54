package dev.howdah.embedded.internal.install;

import dev.howdah.embedded.internal.system.FileModes;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;
import org.jspecify.annotations.Nullable;

/** Unpacks a tar compressed with xz: files, directories and symbolic links, nothing outside the target. */
public final class TarXz {
    private TarXz() {}

    static void unpack(URL archive, Path target) throws IOException {
        try (InputStream raw = new BufferedInputStream(archive.openStream(), 1 << 16);
                TarArchiveInputStream tar = new TarArchiveInputStream(new XZCompressorInputStream(raw))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                write(tar, entry, target);
            }
        }
    }

    private static void write(InputStream in, TarArchiveEntry entry, Path target) throws IOException {
        Path path = target.resolve(entry.getName()).normalize();
        if (!path.startsWith(target)) {
            throw new IOException("archive entry " + entry.getName() + " lies outside the archive");
        }
        if (entry.isDirectory()) {
            directory(path, target);
            return;
        }
        directory(path.getParent(), target);
        if (entry.isSymbolicLink()) {
            Files.createSymbolicLink(path, Path.of(entry.getLinkName()));
        } else {
            Files.copy(in, path);
            boolean program = (entry.getMode() & 0100) != 0;
            FileModes.set(path, program ? "rwxr-xr-x" : "rw-r--r--");
        }
    }

    /** Open to all whatever the umask: another user than the one that unpacks may have to run these files. */
    private static void directory(@Nullable Path path, Path target) throws IOException {
        if (path == null || path.equals(target) || Files.isDirectory(path)) {
            return;
        }
        directory(path.getParent(), target);
        Files.createDirectory(path);
        FileModes.set(path, "rwxr-xr-x");
    }
}
