/** Queues, nodes, sweeps, and the whole at a glance, by the HTTP API. */
@NullMarked
package dev.howdah.console.internal.api.overview;

import org.jspecify.annotations.NullMarked;
