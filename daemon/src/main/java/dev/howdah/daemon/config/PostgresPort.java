package dev.howdah.daemon.config;

import dev.howdah.daemon.console.CliException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The port of the PostgreSQL in a data directory when none is given: 5432 or the next free one, and from then on
 * the same, so that a connection string stays good. It is kept in the file {@code pg-port} of the directory.
 */
public final class PostgresPort {
    private static final int FIRST = 5432;
    private static final int LAST = 5532;

    private final Logger log = LoggerFactory.getLogger(PostgresPort.class);
    private final Path directory;

    public PostgresPort(Path directory) {
        this.directory = directory;
    }

    /** The port to start on. */
    public int choose() {
        int remembered = remembered();
        if (remembered > 0 && (isFree(remembered) || isOurs(remembered))) return remembered;
        for (int port = FIRST; port <= LAST; port++) {
            if (!isFree(port)) continue;
            if (remembered > 0)
                log.warn(
                        "port {}, which this PostgreSQL had before, is taken by another program; it has {} now",
                        remembered,
                        port);
            return port;
        }
        throw CliException.failed("all ports from " + FIRST + " to " + LAST + " are in use: choose one with --pg-port");
    }

    /** Keeps the port for the next start. */
    public void remember(int port) throws IOException {
        Files.writeString(file(), port + "\n");
    }

    private Path file() {
        return directory.resolve("pg-port");
    }

    private int remembered() {
        try {
            String text = Files.readString(file()).strip();
            return text.matches("\\d{1,5}") ? Integer.parseInt(text) : 0;
        } catch (IOException e) {
            // None is kept yet; or the directory is none for a server, which its start says in full.
            return 0;
        }
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns whether the port is held by a server of this directory, which ends before the next one starts. */
    private boolean isOurs(int port) {
        try {
            List<String> lines = Files.readAllLines(directory.resolve("data").resolve("postmaster.pid"));
            return lines.size() > 3 && lines.get(3).strip().equals(Integer.toString(port));
        } catch (IOException e) {
            return false;
        }
    }
}
