/** A node that runs processes: start and stop, presence, rescue of crashed nodes, retention, depths. */
@NullMarked
package dev.howdah.process.internal.node;

import org.jspecify.annotations.NullMarked;
