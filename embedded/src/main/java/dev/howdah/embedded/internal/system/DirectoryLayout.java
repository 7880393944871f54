package dev.howdah.embedded.internal.system;

import dev.howdah.embedded.EmbeddedPostgresException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** What lies where in a directory that Howdah owns. */
public record DirectoryLayout(Path directory) {
    /** The kernel gives the address of a Unix socket some 104 to 108 bytes. */
    private static final int LONGEST_SOCKET = 100;

    /** Creates the directory, closed to other users, if it does not exist. */
    public static DirectoryLayout in(Path directory) {
        try {
            if (!Files.isDirectory(directory)) {
                Files.createDirectories(directory);
                FileModes.set(directory, "rwx------");
            }
            return new DirectoryLayout(directory.toRealPath());
        } catch (IOException e) {
            throw new EmbeddedPostgresException(
                    directory + " cannot be used as a directory for PostgreSQL: " + IoErrors.of(e)
                            + "; choose another directory with --data",
                    e);
        }
    }

    public Path data() {
        return directory.resolve("data");
    }

    /** Where initdb works; becomes {@link #data()} when it is done. */
    public Path unfinishedData() {
        return directory.resolve("data.tmp");
    }

    public Path log() {
        return directory.resolve("postgres.log");
    }

    public Path password() {
        return directory.resolve("password");
    }

    public Path passfile() {
        return directory.resolve("pgpass");
    }

    /**
     * Where the server's Unix socket lies: here, or nowhere if the path is too long for a socket the server's user is
     * another one, which may not write here, or this is Windows.
     */
    public String socketDirectories(ServerUser user) {
        String socket = directory.resolve(".s.PGSQL.65535").toString();
        boolean fits = socket.getBytes(StandardCharsets.UTF_8).length <= LONGEST_SOCKET;
        return fits && user.self() && !ExternalCommand.WINDOWS
                ? '"' + directory.toString().replace("\"", "\"\"") + '"'
                : "";
    }
}
