/** A node that runs jobs: start and stop, its part in the presence of the node, and the recovery of batches of nodes that have crashed. */
@NullMarked
package dev.howdah.job.internal.node;

import org.jspecify.annotations.NullMarked;
