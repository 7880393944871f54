/** How jobs run: worker threads, handlers, time limits, the transaction of a job, the retry decision. */
@NullMarked
package dev.howdah.job.internal.execute;

import org.jspecify.annotations.NullMarked;
