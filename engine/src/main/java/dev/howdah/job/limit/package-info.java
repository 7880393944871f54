/** Limits of jobs: how many run at a time, how many begin within a period, and how groups share a queue. */
@NullMarked
package dev.howdah.job.limit;

import org.jspecify.annotations.NullMarked;
