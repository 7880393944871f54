/** A node that runs processes: start and stop, its part in the presence of the node, recovery of processes of crashed nodes, retention, depths. */
@NullMarked
package dev.howdah.process.internal.node;

import org.jspecify.annotations.NullMarked;
