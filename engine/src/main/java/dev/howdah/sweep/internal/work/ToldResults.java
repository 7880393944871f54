package dev.howdah.sweep.internal.work;

import dev.howdah.sweep.BatchResults;
import dev.howdah.sweep.SweepRow;
import dev.howdah.sweep.internal.store.RowKey;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The results that a handler tells of the rows of a batch. For one thread at a time. */
final class ToldResults implements BatchResults {
    enum Kind {
        DONE,
        FAILED,
        FAILED_FOR_GOOD,
        UNAVAILABLE
    }

    /**
     * The result of a row.
     *
     * @param text why; empty if it is done
     */
    record Told(Kind kind, String text, @Nullable Duration retryAfter) {
        private static final Told DONE = new Told(Kind.DONE, "", null);
    }

    private final Set<RowKey> keys;
    private final Map<RowKey, Told> told = new HashMap<>();

    ToldResults(List<RowKey> keys) {
        this.keys = Set.copyOf(keys);
    }

    /** The result of that row; null: none was told. */
    @Nullable
    Told of(RowKey key) {
        return told.get(key);
    }

    @Override
    public void done(SweepRow row) {
        tell(row, Told.DONE);
    }

    @Override
    public void failed(SweepRow row, String error) {
        tell(row, new Told(Kind.FAILED, error, null));
    }

    @Override
    public void failedForGood(SweepRow row, String error) {
        tell(row, new Told(Kind.FAILED_FOR_GOOD, error, null));
    }

    @Override
    public void unavailable(SweepRow row, String reason, @Nullable Duration retryAfter) {
        tell(row, new Told(Kind.UNAVAILABLE, reason, retryAfter));
    }

    private void tell(SweepRow row, Told result) {
        RowKey key = new RowKey(row.key());
        if (!keys.contains(key))
            throw new IllegalArgumentException("the row " + key + " is not one of the batch: "
                    + keys.stream().limit(5).map(RowKey::toString).sorted().collect(Collectors.joining(", "))
                    + (keys.size() > 5 ? " and " + (keys.size() - 5) + " more" : ""));
        told.put(key, result);
    }
}
