package dev.howdah.reach.internal.child;

import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A child process and all that it has begun, also what has outlived it: a group of processes of its own, where the system has
 * {@code setsid}, else its descendants. Safe for use by many threads.
 */
public final class ProcessGroup {
    private final Process process;
    private final GroupSignals signals;
    private final boolean grouped = SystemTools.find("setsid") != null;

    /** @param process whose command began with the {@linkplain #prefix prefix} */
    public ProcessGroup(Process process, GroupSignals signals) {
        this.process = process;
        this.signals = signals;
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
        if (grouped) signals.send(name, process.pid());
    }
}
