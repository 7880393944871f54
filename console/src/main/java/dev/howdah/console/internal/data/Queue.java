package dev.howdah.console.internal.data;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A queue of jobs at a glance.
 *
 * @param due jobs that could begin, up to {@link ConsoleQueries#COUNTED}
 * @param later jobs whose time has not come, up to the same number
 * @param oldest since when the first of those that are due is
 * @param running jobs that nodes have claimed
 * @param failed jobs that have failed for good, up to the same number
 * @param done in the last hour, as {@code retried} and {@code failedLately}
 * @param paused since when; null: it is not
 * @param pausedKinds kinds that are paused by themselves
 */
public record Queue(
        String name,
        long due,
        long later,
        @Nullable Instant oldest,
        long running,
        long failed,
        long done,
        long retried,
        long failedLately,
        @Nullable Instant paused,
        @Nullable String pausedBy,
        List<String> pausedKinds) {}
