package dev.howdah.job.internal.batch;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The rows that a claim answers with, as they come. */
final class ClaimResult {
    /** The jobs of each new batch. */
    final Map<Long, List<ClaimedJob>> batches = new LinkedHashMap<>();
    /** The one kind of each new batch, where it has but one. */
    final Map<Long, String> kinds = new HashMap<>();
    /** The batches that were finished. */
    final Set<ClaimId> finished = new HashSet<>();
    /** Where the due jobs of each priority begin now, where that was seen. */
    final Map<Integer, ScanBounds.Low> lows = new HashMap<>();
    /** Kinds of the lane that are not to be worked now. */
    final Set<String> paused = new HashSet<>();

    private final int most;
    private int jobs;
    private long last;
    private List<ClaimedJob> open = List.of();

    /** @param most how many jobs a batch has at most */
    ClaimResult(int most) {
        this.most = most;
    }

    /** How many jobs there are in all batches. */
    int jobs() {
        return jobs;
    }

    void read(ResultSet row) throws SQLException {
        long batch = row.getLong(1);
        long id = row.getLong(2);
        if (batch == 0) about((int) id, row.getString(4), row);
        else if (id == 0) about(batch, row.getString(4), row.getString(3));
        else {
            if (batch != last) {
                open = batches.computeIfAbsent(batch, b -> new ArrayList<>(most));
                last = batch;
            }
            jobs++;
            open.add(ClaimedJob.of(id, row.getString(3), row.getString(4), row.getString(5)));
        }
    }

    private void about(int priority, @Nullable String pausedKind, ResultSet row) throws SQLException {
        if (pausedKind != null) paused.add(pausedKind);
        else lows.put(priority, new ScanBounds.Low(row.getString(3), row.getLong(5)));
    }

    private void about(long batch, @Nullable String kind, @Nullable String token) {
        if (token != null) finished.add(new ClaimId(batch, Long.parseLong(token)));
        else if (kind != null) kinds.put(batch, kind);
    }
}
