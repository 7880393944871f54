/** Tasks that wait: the scan of the table, the queue of each group, the next times of cron. */
@NullMarked
package dev.howdah.task.internal.queue;

import org.jspecify.annotations.NullMarked;
