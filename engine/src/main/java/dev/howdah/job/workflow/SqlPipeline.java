package dev.howdah.job.workflow;

import java.time.Instant;

/**
 * A pipeline that is defined in SQL. Immutable.
 *
 * @param changed when it was put last
 * @param stages a JSON array of objects
 */
public record SqlPipeline(String name, Instant changed, String stages) {}
