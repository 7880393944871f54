/** A node that runs jobs: start and stop, presence, and the rescue of batches of nodes that have crashed. */
@NullMarked
package dev.howdah.job.internal.node;

import org.jspecify.annotations.NullMarked;
