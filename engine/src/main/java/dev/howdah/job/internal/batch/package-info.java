/** Batches: what a claim returns, the state of the jobs of a batch while a node runs them, and what a settle writes. */
@NullMarked
package dev.howdah.job.internal.batch;

import org.jspecify.annotations.NullMarked;
