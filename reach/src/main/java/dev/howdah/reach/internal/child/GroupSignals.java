package dev.howdah.reach.internal.child;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends signals to groups of processes, which Java cannot: by one shell for all of them, since starting one for each costs half of what a
 * program does. It ends with its input, hence also when this program is killed. Safe for use by many threads.
 */
public final class GroupSignals implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(GroupSignals.class);
    private static final String LOOP = "while read -r signal group; do kill -s \"$signal\" -- \"-$group\"; done";

    private @Nullable Process shell;

    /** Sends it. Does nothing where the group is gone. */
    synchronized void send(String signal, long group) {
        byte[] line = (signal + " " + group + "\n").getBytes(StandardCharsets.US_ASCII);
        try {
            OutputStream to = shell().getOutputStream();
            to.write(line);
            to.flush();
        } catch (IOException e) {
            log.warn("a group of processes cannot be sent a signal: {}", e.getMessage());
            close();
        }
    }

    private Process shell() throws IOException {
        Process known = shell;
        if (known != null && known.isAlive()) return known;
        // A Ctrl-C in the terminal of this program is not for it.
        List<String> command = new ArrayList<>(ProcessGroup.prefix());
        command.addAll(List.of("/bin/sh", "-c", LOOP));
        Process started = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        shell = started;
        return started;
    }

    /** Ends the shell, after what it has been told. */
    @Override
    public synchronized void close() {
        Process known = shell;
        shell = null;
        if (known == null) return;
        try {
            known.getOutputStream().close();
        } catch (IOException e) {
            // It is gone.
        }
    }
}
