/**
 * Batches: the result of a claim, the state of the jobs of a batch while a node runs them, and the outcomes that a settle writes. The jobs
 * and their results are those of {@code dev.howdah.job.internal.attempt}.
 */
@NullMarked
package dev.howdah.job.internal.batch;

import org.jspecify.annotations.NullMarked;
