/** How one attempt of a job runs: its handler, time limit, steps, transaction, and the retry decision. */
@NullMarked
package dev.howdah.job.internal.execute;

import org.jspecify.annotations.NullMarked;
