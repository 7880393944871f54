package dev.howdah.sweep;

import java.time.Instant;
import java.util.List;

/**
 * Rows that have failed with the same error, but for numbers, ids and quoted parts in it.
 *
 * @param error the first line of the error, with {@code ...} in place of these
 * @param rows how many rows failed with it
 * @param waiting how many of them are tried again without {@link Sweeps#retryFailed}
 * @param first when the first of them failed
 * @param last when the last of them failed
 * @param example the key of the row that failed last
 */
public record SweepErrorGroup(
        String error, long rows, long waiting, Instant first, Instant last, List<String> example) {
    public SweepErrorGroup {
        example = List.copyOf(example);
    }
}
