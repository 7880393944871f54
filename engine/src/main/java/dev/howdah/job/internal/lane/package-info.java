/** Lanes: a lane is a queue, or a queue and a kind, and a batch has jobs of one lane. */
@NullMarked
package dev.howdah.job.internal.lane;

import org.jspecify.annotations.NullMarked;
