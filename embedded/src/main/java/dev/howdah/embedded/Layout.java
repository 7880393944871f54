package dev.howdah.embedded;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** What lies where in a directory that Howdah owns. */
record Layout(Path directory) {
    /** The kernel gives the address of a Unix socket some 104 to 108 bytes. */
    private static final int LONGEST_SOCKET = 100;

    /** Creates the directory, closed to other users, if it does not exist. */
    static Layout in(Path directory) {
        try {
            if (!Files.isDirectory(directory)) {
                Files.createDirectories(directory);
                Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
            }
            return new Layout(directory.toRealPath());
        } catch (IOException e) {
            throw new EmbeddedPostgresException(
                    directory + " cannot be used as a directory for PostgreSQL: " + Why.of(e)
                            + "; choose another directory with --data",
                    e);
        }
    }

    Path data() {
        return directory.resolve("data");
    }

    /** Where initdb works; becomes {@link #data()} when it is done. */
    Path unfinishedData() {
        return directory.resolve("data.tmp");
    }

    Path log() {
        return directory.resolve("postgres.log");
    }

    Path password() {
        return directory.resolve("password");
    }

    Path passfile() {
        return directory.resolve("pgpass");
    }

    /**
     * Where the server's Unix socket lies: here, or nowhere if the path is too long for a socket or the server's user is
     * another one, who may not write here.
     */
    String socketDirectories(ServerUser user) {
        String socket = directory.resolve(".s.PGSQL.65535").toString();
        boolean fits = socket.getBytes(StandardCharsets.UTF_8).length <= LONGEST_SOCKET;
        return fits && user.self() ? '"' + directory.toString().replace("\"", "\"\"") + '"' : "";
    }
}
