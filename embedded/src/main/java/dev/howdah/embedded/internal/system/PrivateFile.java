package dev.howdah.embedded.internal.system;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Files in the directory that only the user of this process may read. */
public final class PrivateFile {
    private static final Set<PosixFilePermission> MODE = PosixFilePermissions.fromString("rw-------");
    private static final FileAttribute<Set<PosixFilePermission>> CREATED_WITH =
            PosixFilePermissions.asFileAttribute(MODE);

    private PrivateFile() {}

    /** Makes the file if it is not there, and closes one that is there. Anything but a file is replaced. */
    public static void create(Path file) throws IOException {
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            Files.deleteIfExists(file);
        }
        try {
            Files.createFile(file, CREATED_WITH);
        } catch (FileAlreadyExistsException e) {
            Files.setPosixFilePermissions(file, MODE);
        }
    }

    /** Writes the file anew, complete at once. */
    public static void write(Path file, String text) throws IOException {
        Path next = file.resolveSibling(file.getFileName() + ".tmp");
        Files.deleteIfExists(next);
        Files.createFile(next, CREATED_WITH);
        Files.writeString(next, text);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    }
}
