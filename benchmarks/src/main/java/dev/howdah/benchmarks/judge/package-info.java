/** Howdah as an adapter of the open harness {@code hardbyte/postgresql-job-queue-benchmarking}, which judges queues of all languages. */
@NullMarked
package dev.howdah.benchmarks.judge;

import org.jspecify.annotations.NullMarked;
