package dev.howdah.embedded.internal.system;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Files in the directory that only the user of this process may read. */
public final class PrivateFile {
    private static final String MODE = "rw-------";

    private PrivateFile() {}

    /** Makes the file if it is not there, and closes one that is there. Anything but a file is replaced. */
    public static void create(Path file) throws IOException {
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            Files.deleteIfExists(file);
        }
        try {
            Files.createFile(file, FileModes.creating(file, MODE));
        } catch (FileAlreadyExistsException e) {
            FileModes.set(file, MODE);
        }
    }

    /** Writes the file anew, complete at once. */
    public static void write(Path file, String text) throws IOException {
        Path next = file.resolveSibling(file.getFileName() + ".tmp");
        Files.deleteIfExists(next);
        Files.createFile(next, FileModes.creating(next, MODE));
        Files.writeString(next, text);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    }
}
