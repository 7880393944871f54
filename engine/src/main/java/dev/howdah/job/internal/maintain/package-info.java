/** Periodic work of a node: order keys, workflows, statistics, queue depths, retention; and when schedules are looked at. */
@NullMarked
package dev.howdah.job.internal.maintain;

import org.jspecify.annotations.NullMarked;
