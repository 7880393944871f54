package dev.howdah.operations.read;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Groups of errors.
 *
 * @param hasMore whether there are more groups
 * @param isAll whether all jobs in question were looked at; false: each number may be larger, and there may be other groups
 * @param since each job that has failed since then was looked at; null: all were, or the newest of those that wait for a retry
 */
public record ErrorGroups(
        List<ErrorGroup> groups,
        boolean hasMore,
        boolean isAll,
        @Nullable Instant since) {
    /** Where there are no jobs. */
    public static final ErrorGroups NONE = new ErrorGroups(List.of(), false, true, null);

    public ErrorGroups {
        groups = List.copyOf(groups);
    }
}
