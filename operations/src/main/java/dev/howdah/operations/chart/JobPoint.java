package dev.howdah.operations.chart;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What became of jobs in a step of time from {@code time} on.
 *
 * @param added how many came, as the backlog and those that ended say; null: that is not known
 * @param backlog at its end, or at the last look before; null: it is not known
 * @param half half of those that ended had waited for so long at most; null: none ended, or it is not known
 * @param most 95 % of them
 */
public record JobPoint(
        Instant time,
        @Nullable Long added,
        ThroughputPoint ended,
        @Nullable Backlog backlog,
        @Nullable Duration half,
        @Nullable Duration most) {}
