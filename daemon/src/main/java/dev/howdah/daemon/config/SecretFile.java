package dev.howdah.daemon.config;

import dev.howdah.daemon.console.CliException;
import dev.howdah.internal.http.Signer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** The file with the secret that requests are signed with. */
public final class SecretFile {
    private static final Set<PosixFilePermission> OTHERS = PosixFilePermissions.fromString("---rw-rw-");

    private SecretFile() {}

    /**
     * Signs with what is in the file.
     *
     * @throws CliException if it cannot be read, is no secret, or others can read it
     */
    public static Signer signer(Path file) {
        return signer("--http-secret", file);
    }

    /** As {@link #signer(Path)}, for a file that something else than the setting has named. */
    public static Signer signer(String by, Path file) {
        try {
            return Signer.of(text(by, file));
        } catch (IllegalArgumentException e) {
            throw CliException.usage(by + ": " + file + ": " + e.getMessage());
        }
    }

    /**
     * What is in the file.
     *
     * @throws CliException if it cannot be read, or others can read it
     */
    public static String text(String by, Path file) {
        try {
            if (Files.getFileStore(file).supportsFileAttributeView("posix")
                    && Files.getPosixFilePermissions(file).stream().anyMatch(OTHERS::contains))
                throw CliException.usage(
                        by + ": " + file + " can be read or written by other users: chmod 600 " + file);
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw CliException.usage(by + ": cannot read " + file + ": " + Configuration.reason(e));
        }
    }
}
