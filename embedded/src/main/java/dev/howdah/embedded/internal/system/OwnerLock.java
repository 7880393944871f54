package dev.howdah.embedded.internal.system;

import dev.howdah.embedded.EmbeddedPostgresException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The right to a directory, held by one process at a time, and gone with it however it ends.
 *
 * <p>The lock is on {@code howdah.lock}; {@code howdah.owner} beside it names its holder. A POSIX lock ends as
 * soon as its process closes <em>any</em> channel to the file: hence the second file, the set of directories held in
 * this process, and the channels that are kept open for good.
 */
public final class OwnerLock implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OwnerLock.class);
    private static final Set<Path> HELD_HERE = ConcurrentHashMap.newKeySet();
    private static final List<FileChannel> NEVER_CLOSED = new CopyOnWriteArrayList<>();

    private final Path directory;
    private final Path owner;
    private final FileChannel channel;
    private final Instant since = Instant.now().truncatedTo(ChronoUnit.SECONDS);
    private boolean released;

    private OwnerLock(Path directory, FileChannel channel) {
        this.directory = directory;
        this.owner = ownerFile(directory);
        this.channel = channel;
    }

    /** Takes the directory (a real path) or fails at once, naming its holder. */
    public static OwnerLock take(Path directory) {
        if (!HELD_HERE.add(directory)) {
            throw inUse(directory);
        }
        FileChannel channel = null;
        try {
            Path file = directory.resolve("howdah.lock");
            PrivateFile.create(file);
            channel = FileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
            @Nullable FileLock lock = channel.tryLock();
            if (lock != null) {
                OwnerLock taken = new OwnerLock(directory, channel);
                taken.tell(0);
                return taken;
            }
            channel.close();
            HELD_HERE.remove(directory);
            throw inUse(directory);
        } catch (OverlappingFileLockException e) {
            // Held through another class loader of this process: closing our channel would release its lock.
            if (channel != null) {
                NEVER_CLOSED.add(channel);
            }
            throw inUse(directory);
        } catch (IOException e) {
            HELD_HERE.remove(directory);
            throw new EmbeddedPostgresException(
                    directory + " cannot be locked: " + IoErrors.of(e)
                            + "; it must be writable and on a file system with locks;"
                            + " choose another directory with --data",
                    e);
        }
    }

    /** Makes known the server's port, 0 while there is none. */
    public void tell(int port) throws IOException {
        PrivateFile.write(owner, ProcessHandle.current().pid() + "\n" + since + "\n" + port + "\n");
    }

    @Override
    public synchronized void close() {
        if (released) {
            return;
        }
        released = true;
        try (channel) {
            Files.deleteIfExists(owner);
        } catch (IOException e) {
            LOG.warn("{} could not be given back cleanly: {}", directory, IoErrors.of(e));
        } finally {
            HELD_HERE.remove(directory);
        }
    }

    private static EmbeddedPostgresException inUse(Path directory) {
        return new EmbeddedPostgresException(directory + " is in use by " + holder(directory)
                + "; stop it first or choose another directory with --data");
    }

    private static String holder(Path directory) {
        try {
            List<String> lines = Files.readAllLines(ownerFile(directory));
            if (lines.size() == 3) {
                String port = lines.get(2).equals("0") ? "still starting" : "PostgreSQL on port " + lines.get(2);
                return "process " + lines.get(0) + " (since " + lines.get(1) + ", " + port + ")";
            }
        } catch (IOException e) {
            LOG.debug("no owner file in {}", directory, e);
        }
        return "another process";
    }

    private static Path ownerFile(Path directory) {
        return directory.resolve("howdah.owner");
    }
}
