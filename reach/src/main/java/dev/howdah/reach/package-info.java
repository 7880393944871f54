/**
 * Tasks whose {@code remote} is not a PostgreSQL. Begin with {@link dev.howdah.reach.TaskReach}, which takes a task from the scheduler,
 * checks where it may go, and gives it to its scheme; {@link dev.howdah.reach.ReachSettings} says what is allowed. Jobs do the
 * same by {@link dev.howdah.reach.job.ReachJobs}.
 */
@NullMarked
package dev.howdah.reach;

import org.jspecify.annotations.NullMarked;
