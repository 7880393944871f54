/** The protocol of nodes, common to jobs, processes and sweeps: identity, the lock of a live node, detection of crashed nodes, restart. */
@NullMarked
package dev.howdah.internal.node;

import org.jspecify.annotations.NullMarked;
