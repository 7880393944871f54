/** The statements that make log queues and move their readers. */
@NullMarked
package dev.howdah.job.internal.log;

import org.jspecify.annotations.NullMarked;
