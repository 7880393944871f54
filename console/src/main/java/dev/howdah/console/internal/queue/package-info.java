/** The pages of queues of jobs, and what can be set of them: pauses and limits. */
@NullMarked
package dev.howdah.console.internal.queue;

import org.jspecify.annotations.NullMarked;
