package dev.howdah.embedded.internal.system;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * Permissions of files as {@code rw-------}, where the file system has them. That of Windows has lists of access instead, which a new file
 * takes from its directory: what lies in the home of a user is closed to others there.
 */
public final class FileModes {
    private static final FileAttribute<?>[] NONE = {};

    private FileModes() {}

    private static boolean hasModes(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix");
    }

    /** Gives a file or directory these permissions. */
    public static void set(Path path, String mode) throws IOException {
        if (hasModes(path)) Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    }

    /** What a file or directory is created with, to have these permissions at once. */
    public static FileAttribute<?>[] creating(Path path, String mode) {
        return hasModes(path)
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode))}
                : NONE;
    }
}
