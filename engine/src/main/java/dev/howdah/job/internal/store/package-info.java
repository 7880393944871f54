/** The schema of jobs, its SQL files and sessions, operations by an administrator, metrics, and checks of names and durations. */
@NullMarked
package dev.howdah.job.internal.store;

import org.jspecify.annotations.NullMarked;
