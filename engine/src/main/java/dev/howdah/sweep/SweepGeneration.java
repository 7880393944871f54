package dev.howdah.sweep;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A generation of a sweep: all its runs with one {@code :started}. It is kept when the next one is begun with {@link SweepBuilder#again}, but not
 * by versions of this library before it had this type.
 *
 * @param number from 1
 * @param state how it ended: done, stopped or failed
 * @param started when it began
 * @param ended when it ended; null: not known
 * @param done how many rows were done
 * @param failed how many rows had failed in the end
 */
public record SweepGeneration(
        int number,
        SweepState state,
        Instant started,
        @Nullable Instant ended,
        long done,
        long failed) {}
