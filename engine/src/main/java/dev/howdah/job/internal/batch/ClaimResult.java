package dev.howdah.job.internal.batch;

import dev.howdah.job.internal.attempt.ClaimedJob;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

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

    /** Whether another node claims from the queue. */
    boolean contended;
    /** Whether limits leave no room. */
    boolean full;
    /** In how many milliseconds a rate leaves room; 0: it does. */
    long pacedMillis;
    /** Within how many microseconds of the claim its jobs have to begin; 0: at any time. */
    long beginMicros;
    /** In how many milliseconds to look again, if nothing else happens; -1: not known. */
    long nextMillis = -1;

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

    BatchStore.LaneState lane() {
        return new BatchStore.LaneState(contended, full, nextMillis, pacedMillis);
    }

    void read(ResultSet row) throws SQLException {
        ClaimRow read = ClaimRow.read(row);
        if (read instanceof ClaimRow.OfJob job) add(job);
        else if (read instanceof ClaimRow.OfKind only) kinds.put(only.batch(), only.kind());
        else if (read instanceof ClaimRow.Finished batch) finished.add(batch.claim());
        else if (read instanceof ClaimRow.FirstDue first) lows.put(first.priority(), first.low());
        else if (read instanceof ClaimRow.PausedKind each) paused.add(each.kind());
        else if (read instanceof ClaimRow.OfLane lane) read(lane.word());
    }

    private void read(String word) {
        int space = word.indexOf(' ');
        String name = space < 0 ? word : word.substring(0, space);
        String value = word.substring(space + 1);
        switch (name) {
            case "contended" -> contended = true;
            case "full" -> full = true;
            case "next" ->
                nextMillis = nextMillis < 0 ? Long.parseLong(value) : Math.min(nextMillis, Long.parseLong(value));
            case "paced" -> pacedMillis = Long.parseLong(value);
            case "begin" -> beginMicros = Long.parseLong(value);
            case "since" -> lows.put(ScanBounds.GROUPS, new ScanBounds.Low(value, 0));
            default -> throw new IllegalStateException("a claim says of a lane: " + word);
        }
    }

    private void add(ClaimRow.OfJob row) {
        if (row.batch() != last) {
            open = batches.computeIfAbsent(row.batch(), batch -> new ArrayList<>(most));
            last = row.batch();
        }
        jobs++;
        open.add(row.job());
    }
}
