/** Matches waiting tasks with sessions, writes starts and ends, and does what follows an end. */
@NullMarked
package dev.howdah.task.internal.dispatch;

import org.jspecify.annotations.NullMarked;
