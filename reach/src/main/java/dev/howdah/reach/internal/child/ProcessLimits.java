package dev.howdah.reach.internal.child;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.reach.internal.secret.JsonKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a child process may use of the machine. The system counts memory, processor time and files for each process, and processes for
 * the user. Null: no limit but the system's.
 *
 * @param memoryMiB of addresses
 * @param cpuSeconds of processor time
 * @param processes of its user, with threads
 * @param files open ones
 */
public record ProcessLimits(
        @Nullable Integer memoryMiB,
        @Nullable Integer cpuSeconds,
        @Nullable Integer processes,
        @Nullable Integer files) {
    public static final ProcessLimits NONE = new ProcessLimits(null, null, null, null);

    private static final Set<String> KEYS = Set.of("memoryMiB", "cpuSeconds", "processes", "files");
    /** Less is not enough for a program to start. */
    private static final int LEAST_MEMORY = 16;

    private static final int LEAST_FILES = 8;
    private static final int MOST = 10_000_000;

    /** From SIGXCPU on, which it may take as a request. */
    private static final int SECONDS_TO_KILL = 5;

    /**
     * Reads such an object.
     *
     * @param node null for none
     * @throws IllegalArgumentException if something in it is no limit, or this machine cannot set one
     */
    public static ProcessLimits of(@Nullable JsonNode node, SystemUser user) {
        if (node == null || node.isNull()) return NONE;
        JsonKeys.only(node, KEYS);
        ProcessLimits limits = new ProcessLimits(
                number(node, "memoryMiB", LEAST_MEMORY),
                number(node, "cpuSeconds", 1),
                number(node, "processes", 1),
                number(node, "files", LEAST_FILES));
        if (limits.processes() != null && user.isSame())
            throw new IllegalArgumentException(
                    "\"processes\" needs a user of its own: the system counts all processes and threads of"
                            + " a user, hence also those of this program");
        limits.prefix();
        return limits;
    }

    private static @Nullable Integer number(JsonNode node, String key, int least) {
        JsonNode value = node.get(key);
        if (value == null || value.isNull()) return null;
        if (!value.isInt() || value.intValue() < least || value.intValue() > MOST)
            throw new IllegalArgumentException("\"" + key + "\" has to be a number from " + least + " to " + MOST);
        return value.intValue();
    }

    /** What stands before a command, so that it has them. */
    public List<String> prefix() {
        if (equals(NONE)) return List.of();
        List<String> prefix = new ArrayList<>();
        prefix.add(SystemTools.needed("prlimit", "\"limits\""));
        prefix.add("--core=0");
        if (memoryMiB != null) prefix.add("--as=" + ((long) memoryMiB << 20));
        if (cpuSeconds != null) prefix.add("--cpu=" + cpuSeconds + ":" + (cpuSeconds + SECONDS_TO_KILL));
        if (processes != null) prefix.add("--nproc=" + processes);
        if (files != null) prefix.add("--nofile=" + files);
        prefix.add("--");
        return prefix;
    }

    /** In words; empty if there are none. */
    @Override
    public String toString() {
        List<String> words = new ArrayList<>();
        if (memoryMiB != null) words.add(memoryMiB + " MiB of memory");
        if (cpuSeconds != null) words.add(cpuSeconds + " s of processor time");
        if (processes != null) words.add(processes + " processes of its user");
        if (files != null) words.add(files + " open files");
        return String.join(", ", words);
    }
}
