/**
 * The doorbell: wakes a sleeping reader at once, at almost no cost for writers while a reader is awake.
 *
 * <p>NOTIFY takes a lock on the whole server at commit, so writers notify only when a reader sleeps. A reader that is about to sleep
 * takes an advisory lock exclusively, looks for work once more, and only then waits on LISTEN. The trigger of an inserting
 * statement tries the same lock shared, until the end of its transaction. If it gets the lock, no reader sleeps, and none can
 * fall asleep before that transaction has ended and its rows can be seen. If it does not, a reader sleeps, and the trigger sends NOTIFY.
 * A NOTIFY is a hint; a slow poll stands behind it.
 *
 * <p>{@link dev.howdah.internal.doorbell.SleepLock} is that lock, for jobs, processes and notices; the scheduler of tasks takes it in its session
 * without JDBC, by {@code task_fall_asleep}. {@link dev.howdah.internal.doorbell.Doorbell} is a session that listens.
 */
@NullMarked
package dev.howdah.internal.doorbell;

import org.jspecify.annotations.NullMarked;
