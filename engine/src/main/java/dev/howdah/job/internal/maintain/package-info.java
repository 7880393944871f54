/** Periodic work of a node: schedules, order keys, statistics, queue depths, retention. */
@NullMarked
package dev.howdah.job.internal.maintain;

import org.jspecify.annotations.NullMarked;
