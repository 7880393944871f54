package dev.howdah.benchmarks.faults;

import dev.howdah.Database;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Looks again and again at what the server says who is at work, and complains when a group has more than its limit. */
final class Sampler implements AutoCloseable {
    private static final long PAUSE_NANOS = 100_000_000;

    private final Asker asker;
    private final List<String> complaints = Collections.synchronizedList(new ArrayList<>());
    private final Thread thread = new Thread(this::run, "sampler");
    private volatile boolean ending;
    private volatile long samples;

    Sampler(Database database) {
        this.asker = new Asker(database);
    }

    void start() {
        thread.start();
    }

    List<String> complaints() {
        return List.copyOf(complaints);
    }

    long samples() {
        return samples;
    }

    private void run() {
        Map<String, String> before = new HashMap<>();
        while (!ending) {
            try {
                Map<String, String> now = new HashMap<>();
                for (List<@Nullable String> row : asker.rows("at_work"))
                    now.put(String.valueOf(row.get(0)), String.valueOf(row.get(1)));
                // A session that is just ending is still there for a moment: only what is seen twice counts.
                now.forEach((lane, sessions) -> {
                    if (sessions.equals(before.get(lane)) && sessions.split(",").length > limit(lane) + 1)
                        complaints.add("group " + lane + ": at work at the same time: " + sessions);
                });
                before.clear();
                before.putAll(now);
                samples++;
            } catch (SQLException e) {
                asker.close(); // the server is away or full: later
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /** As {@link Load} makes them. */
    private static int limit(String lane) {
        return switch (lane) {
            case "kept", "fails", "adds", "timeout", "unlocks", "leaves", "once fails" -> 1;
            case "long" -> 2;
            case "added", "later" -> 3;
            default -> lane.matches("(plain|text|remote|once) \\d") ? lane.charAt(lane.length() - 1) - '0' : 0;
        };
    }

    @Override
    public void close() throws InterruptedException {
        ending = true;
        thread.join();
        asker.close();
    }
}
