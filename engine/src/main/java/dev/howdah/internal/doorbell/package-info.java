/**
 * The doorbell: how a sleeping scheduler is woken at once while nobody pays for it otherwise.
 *
 * <p>NOTIFY takes a lock on the whole server at commit, so nobody rings while somebody is awake. Who is about to sleep
 * takes an advisory lock exclusively, looks once more, and only then waits on LISTEN. The trigger of an inserting
 * statement tries the same lock shared, until the end of its transaction. Got it: nobody sleeps, and who is awake cannot
 * fall asleep before that transaction has ended and its rows have been seen. Could not: somebody sleeps, so NOTIFY.
 * A NOTIFY is a hint; a slow poll stands behind it.
 */
@NullMarked
package dev.howdah.internal.doorbell;

import org.jspecify.annotations.NullMarked;
