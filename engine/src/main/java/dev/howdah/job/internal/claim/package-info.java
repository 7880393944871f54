/** How a node claims jobs: the claim threads, the polls of each lane, concurrency limits, sleep until the doorbell. */
@NullMarked
package dev.howdah.job.internal.claim;

import org.jspecify.annotations.NullMarked;
