package dev.howdah.embedded.internal.server;

import dev.howdah.embedded.internal.system.DirectoryLayout;
import dev.howdah.embedded.internal.system.PidFile;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server that outlived the process that started it. The process that holds the directory's lock may end it: no other one is
 * left to do so.
 */
public final class OrphanedServer {
    private static final Logger LOG = LoggerFactory.getLogger(OrphanedServer.class);

    private OrphanedServer() {}

    /** Ends a server that still runs on this data, and clears what a dead one left in the way of the next. */
    static void clear(DirectoryLayout layout) throws IOException {
        PidFile file = PidFile.read(layout.data());
        if (file != null) {
            Optional<ProcessHandle> process = ProcessHandle.of(file.pid()).filter(ProcessHandle::isAlive);
            if (process.isPresent()) {
                if (serves(process.get(), layout)) {
                    LOG.warn(
                            "PostgreSQL (process {}) still runs on {}, left by a Howdah that is gone: stopping it",
                            file.pid(),
                            layout.data());
                    Shutdown.of(process.get());
                } else {
                    // The id of another process by now. PostgreSQL itself would take that process for a server.
                    Files.deleteIfExists(PidFile.of(layout.data()));
                }
            }
        }
        clearSockets(layout.directory());
    }

    /** The number of a process may have gone to another: a server stands in its data, or names it when started. */
    private static boolean serves(ProcessHandle process, DirectoryLayout layout) {
        Path data = layout.data();
        try {
            return Files.readSymbolicLink(Path.of("/proc", Long.toString(process.pid()), "cwd"))
                    .equals(data);
        } catch (IOException e) {
            // Windows tells the program alone, which is one of this directory.
            String command = process.info().commandLine().orElse("");
            return command.contains("postgres") && command.contains(data.toString())
                    || process.info()
                            .command()
                            .filter(program -> Path.of(program).startsWith(layout.directory()))
                            .isPresent();
        }
    }

    private static void clearSockets(Path directory) throws IOException {
        try (DirectoryStream<Path> sockets = Files.newDirectoryStream(directory, ".s.PGSQL.*")) {
            for (Path socket : sockets) {
                Files.deleteIfExists(socket);
            }
        }
    }
}
