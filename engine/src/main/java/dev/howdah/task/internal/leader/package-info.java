/** The session that holds the lock of a scheduler: election, supervision by a standby, settings. */
@NullMarked
package dev.howdah.task.internal.leader;

import org.jspecify.annotations.NullMarked;
