package dev.howdah.embedded.internal.install;

import dev.howdah.embedded.EmbeddedPostgresException;
import dev.howdah.embedded.internal.system.DirectoryTree;
import dev.howdah.embedded.internal.system.FileModes;
import dev.howdah.embedded.internal.system.IoErrors;
import dev.howdah.embedded.internal.system.ServerUser;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Unpacked PostgreSQL programs, one directory per version. A directory appears by one rename, complete; a file in it
 * tells how much it held, so that a copy damaged later (a power cut, a cleaner of temporary files) is noticed and
 * replaced.
 */
public final class Binaries {
    private static final Logger LOG = LoggerFactory.getLogger(Binaries.class);
    private static final String CONTENTS = "howdah.contents";
    /** File locks belong to the whole process: threads of one process need their own. */
    private static final Object ONE_AT_A_TIME = new Object();

    private Binaries() {}

    /** The directory of this PostgreSQL below {@code cache}, unpacked if it was not there yet. */
    public static Path unpacked(Path cache, PostgresArchive archive) {
        String name = "pg-" + archive.version();
        try {
            if (cache.equals(ServerUser.SHARED_PROGRAMS) && !Files.exists(cache)) {
                Files.createDirectories(cache);
                // Whatever the umask: this directory is for another user than the one that makes it.
                FileModes.set(cache, "rwxr-xr-x");
            }
            Files.createDirectories(cache);
            Path target = cache.toRealPath().resolve(name);
            synchronized (ONE_AT_A_TIME) {
                if (!complete(target)) {
                    try (FileChannel channel = FileChannel.open(
                            target.resolveSibling(name + ".lock"),
                            StandardOpenOption.CREATE,
                            StandardOpenOption.WRITE)) {
                        channel.lock();
                        if (!complete(target)) {
                            unpack(archive, target);
                        }
                    }
                }
            }
            return target;
        } catch (IOException e) {
            throw new EmbeddedPostgresException(
                    "PostgreSQL " + archive.version() + " could not be unpacked into " + cache + ": " + IoErrors.of(e)
                            + "; about 65 MB and the right to write are needed there",
                    e);
        }
    }

    private static void unpack(PostgresArchive archive, Path target) throws IOException {
        String name = String.valueOf(target.getFileName());
        try (DirectoryStream<Path> leftovers = Files.newDirectoryStream(target.resolveSibling("."), name + ".tmp*")) {
            for (Path leftover : leftovers) {
                DirectoryTree.delete(leftover);
            }
        }
        Path temporary = Files.createTempDirectory(target.resolveSibling("."), name + ".tmp")
                .normalize();
        try {
            // Another user may have to run what root unpacked.
            FileModes.set(temporary, "rwxr-xr-x");
            TarXz.unpack(archive.location(), temporary);
            Files.writeString(temporary.resolve(CONTENTS), DirectoryTree.measure(temporary));
            if (Files.exists(target)) {
                LOG.warn("{} is incomplete and is replaced", target);
                DirectoryTree.delete(target);
            }
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            DirectoryTree.delete(temporary);
        }
    }

    private static boolean complete(Path target) throws IOException {
        Path contents = target.resolve(CONTENTS);
        if (!Files.isRegularFile(contents)) {
            return false;
        }
        String wanted = Files.readString(contents);
        return DirectoryTree.measure(target).equals(plusContents(wanted));
    }

    /** What the tree measures once the file of contents itself lies in it. */
    private static String plusContents(String measured) {
        String[] words = measured.split(" ");
        return words.length != 4
                ? ""
                : (Long.parseLong(words[0]) + 1) + " files, " + (Long.parseLong(words[2]) + measured.length())
                        + " bytes";
    }
}
