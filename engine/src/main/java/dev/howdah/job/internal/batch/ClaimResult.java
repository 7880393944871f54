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
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The rows that a claim answers with, as they come. */
final class ClaimResult {
    /** The jobs of each new batch, as they came. */
    private final Map<Long, List<ClaimedJob>> batches = new LinkedHashMap<>();
    /** The one kind of each new batch, where it has but one. */
    final Map<Long, String> kinds = new HashMap<>();
    /** Of which day the rows of the new batches are; null: not known. */
    @Nullable
    String day;
    /** The ids of the jobs of each new batch of several, at their places, as the server writes arrays. */
    private final Map<Long, String> places = new HashMap<>();
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
    /** Whether there are limits, rates or an ageing that the claim did not know. */
    boolean ruled;
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

    Set<Long> batches() {
        return batches.keySet();
    }

    BatchStore.LaneState lane() {
        return new BatchStore.LaneState(contended, full, ruled, nextMillis, pacedMillis);
    }

    void read(ResultSet row) throws SQLException {
        ClaimRow read = ClaimRow.read(row);
        if (read instanceof ClaimRow.OfJob job) add(job);
        else if (read instanceof ClaimRow.OfBatch batch) add(batch);
        else if (read instanceof ClaimRow.Finished batch) finished.add(batch.claim());
        else if (read instanceof ClaimRow.FirstDue first) lows.put(first.priority(), first.low());
        else if (read instanceof ClaimRow.PausedKind each) paused.add(each.kind());
        else if (read instanceof ClaimRow.OfLane lane) read(lane.word());
    }

    /** Reads the answer of a claim of one job. Returns whether the one behind it is due, too. */
    boolean readOne(ResultSet row) throws SQLException {
        long batch = row.getLong(1);
        day = row.getString(2);
        kinds.put(batch, row.getString(5));
        add(new ClaimRow.OfJob(batch, ClaimedJob.of(row.getLong(3), row.getString(4), null, row.getString(6))));
        long next = row.getLong(7);
        boolean isNext = !row.wasNull();
        if (isNext && next > 0) nextMillis = next;
        return isNext && next <= 0;
    }

    private void read(String word) {
        int space = word.indexOf(' ');
        String name = space < 0 ? word : word.substring(0, space);
        String value = word.substring(space + 1);
        switch (name) {
            case "contended" -> contended = true;
            case "full" -> full = true;
            case "ruled" -> ruled = true;
            case "next" ->
                nextMillis = nextMillis < 0 ? Long.parseLong(value) : Math.min(nextMillis, Long.parseLong(value));
            case "paced" -> pacedMillis = Long.parseLong(value);
            case "begin" -> beginMicros = Long.parseLong(value);
            case "since" -> lows.put(ScanBounds.GROUPS, new ScanBounds.Low(value, 0));
            default -> throw new IllegalStateException("a claim says of a lane: " + word);
        }
    }

    private void add(ClaimRow.OfBatch row) {
        if (row.kind() != null) kinds.put(row.batch(), row.kind());
        if (row.places() != null) places.put(row.batch(), row.places());
        if (row.day() != null) day = row.day();
    }

    /**
     * The jobs of a new batch at their places, by which their outcomes are written. Rows come in the order of the server's plan, which is
     * nearly always the same one.
     */
    List<ClaimedJob> jobs(long batch) {
        List<ClaimedJob> came = Objects.requireNonNull(batches.get(batch));
        @Nullable String text = places.get(batch);
        if (text == null) return came;
        long[] ids = ids(text, came.size());
        if (isInOrder(came, ids)) return came;
        Map<Long, ClaimedJob> byId = new HashMap<>();
        for (ClaimedJob job : came) byId.put(job.id(), job);
        List<ClaimedJob> placed = new ArrayList<>(ids.length);
        for (long id : ids) placed.add(Objects.requireNonNull(byId.get(id)));
        return placed;
    }

    private static boolean isInOrder(List<ClaimedJob> jobs, long[] ids) {
        for (int i = 0; i < ids.length; i++) if (jobs.get(i).id() != ids[i]) return false;
        return true;
    }

    /** @throws IllegalStateException if there are not that many */
    private static long[] ids(String array, int count) {
        long[] ids = new long[count];
        int place = 0;
        int from = 1;
        for (int to = 1; to < array.length(); to++) {
            char c = array.charAt(to);
            if (c != ',' && c != '}') continue;
            if (place < count) ids[place] = Long.parseLong(array, from, to, 10);
            place++;
            from = to + 1;
        }
        if (place != count) throw new IllegalStateException("a batch of " + place + " jobs came with " + count);
        return ids;
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
