package dev.howdah.job.query;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A step of a job that is done.
 *
 * @param kind of the job then: each stage of a pipeline has its own
 * @param attempt in which it was done, from 1
 * @param at when it was recorded
 * @param result JSON; null if the step returned null, or its result could not be recorded
 */
public record JobStep(
        String kind,
        String name,
        int attempt,
        Instant at,
        @Nullable String result) {}
