/** Log queues: queues whose jobs are entries of an append-only log, and their readers. */
@NullMarked
package dev.howdah.job.log;

import org.jspecify.annotations.NullMarked;
