package dev.howdah.reach.internal.child;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A child process and all that it has begun, also what has outlived it: a group of processes of its own, where the system has
 * {@code setsid}, else its descendants. Safe for use by many threads.
 */
public final class ProcessGroup {
    private static final Logger log = LoggerFactory.getLogger(ProcessGroup.class);
    private static final long SIGNAL_SECONDS = 5;

    private final Process process;
    private final boolean grouped = SystemTools.find("setsid") != null;

    /** @param process whose command began with the {@linkplain #prefix prefix} */
    public ProcessGroup(Process process) {
        this.process = process;
    }

    /** What stands before a command, so that it has a group of its own. */
    public static List<String> prefix() {
        String setsid = SystemTools.find("setsid");
        return setsid == null ? List.of() : List.of(setsid);
    }

    /** Asks all of it to end, and ends after that time what is left. Waits no longer than that. */
    public void end(long graceMillis) {
        List<ProcessHandle> all = process.descendants().toList();
        signal("TERM");
        process.destroy();
        all.forEach(ProcessHandle::destroy);
        try {
            process.waitFor(graceMillis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        all.forEach(ProcessHandle::destroyForcibly);
        kill();
    }

    /** Ends all of it at once. */
    public void kill() {
        signal("KILL");
        process.destroyForcibly();
    }

    private void signal(String name) {
        if (!grouped) return;
        try {
            Process sent = new ProcessBuilder(
                            "/bin/sh", "-c", "kill -s \"$1\" -- \"-$2\"", "sh", name, Long.toString(process.pid()))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (!sent.waitFor(SIGNAL_SECONDS, TimeUnit.SECONDS)) sent.destroyForcibly();
        } catch (IOException e) {
            log.warn("a group of processes cannot be sent a signal: {}", e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
