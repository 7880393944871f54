/** Schedules: when their times are, which are due, and the jobs that are added then. */
@NullMarked
package dev.howdah.job.internal.schedule;

import org.jspecify.annotations.NullMarked;
