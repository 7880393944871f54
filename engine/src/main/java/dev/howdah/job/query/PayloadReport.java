package dev.howdah.job.query;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The result of a {@link PayloadCheck}.
 *
 * @param read how many payloads of each kind were read
 * @param unreadable the first 1,000 payloads that could not be read
 * @param unreadableCount how many there are
 */
public record PayloadReport(Map<String, Long> read, List<UnreadablePayload> unreadable, long unreadableCount) {
    private static final int SHOWN = 20;

    /** Copies both. */
    public PayloadReport {
        read = Map.copyOf(read);
        unreadable = List.copyOf(unreadable);
    }

    /** Throws an {@link AssertionError} that names them if some payloads could not be read: for tests. */
    public void assertReadable() {
        if (unreadableCount > 0) throw new AssertionError(toString());
    }

    /** Says how many payloads were read, and the first that could not be. */
    @Override
    public String toString() {
        long all = unreadableCount
                + read.values().stream().mapToLong(Long::longValue).sum();
        if (unreadableCount == 0) return all + " payloads can be read: " + new TreeMap<>(read);
        return unreadableCount + " of " + all + " payloads cannot be read:\n"
                + unreadable.stream()
                        .limit(SHOWN)
                        .map(each -> "  job " + each.id() + " (" + each.queue() + ", " + each.kind() + ", "
                                + each.state() + "): " + each.error())
                        .collect(Collectors.joining("\n"))
                + (unreadableCount > SHOWN ? "\n  and " + (unreadableCount - SHOWN) + " more" : "");
    }
}
