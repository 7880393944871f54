package dev.howdah.beans.internal.node;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;

/**
 * Whether a restart of an application would help: a node is without its session for longer than the application allows. A node finds its session again by
 * itself when the database is back.
 *
 * @param details for how long each node has been without its session, by name
 */
public record InstallationLiveness(boolean isLive, Map<String, String> details) {
    /** Asks no database, and waits for nothing. */
    public static InstallationLiveness of(Collection<Installation> installations) {
        Map<String, String> details = new TreeMap<>();
        boolean live = true;
        for (Installation each : installations) {
            Duration lost = each.lost();
            Duration most = each.settings().maxLost();
            details.put(each.name().isEmpty() ? "lost" : each.name() + " lost", lost.toString());
            live &= most == null || lost.compareTo(most) <= 0;
        }
        return new InstallationLiveness(live, details);
    }
}
