/**
 * Sweeps: something is done to every row of a table that meets a condition, by as many workers as one likes, any of which
 * may die at any moment. The table gets no column and no trigger.
 *
 * <h2>How a row is taken</h2>
 *
 * <ol>
 *   <li>One {@code KeyPrefetcher} for each process reads the keys of rows that are to do, some thousand at a time and always
 *       behind those that it has read before, and hands them to the workers of the process. So they do not meet, and nobody walks
 *       over the rows that are done.
 *   <li>A worker tries the advisory locks of its keys, all in one statement, and waits for none. Keys that others have are left
 *       to them.
 *   <li>It looks at those rows a second time, in a snapshot from after the locks: what another worker has done between the first
 *       look and the lock is dropped. Without that rows would be worked on twice.
 *   <li>It does the work, marks the row, commits, and only then lets go of the lock.
 * </ol>
 *
 * <p>Whatever was left out (locked by others, failed, new, or forgotten by a worker that died) is found by the next pass over the table. The
 * sweep is over when a pass finds nothing.
 *
 * <h2>Who is alive</h2>
 *
 * <p>Locks of rows belong to the worker's session, and go with it. Each process also holds the lock of its number in a session that
 * speaks twice a second ({@code ProgressReporter}); PostgreSQL ends it after ten seconds of silence. Who finds
 * that lock free ends the sessions of the process's workers: so a process that is frozen, or cut off, keeps no row.
 */
@NullMarked
package dev.howdah.sweep;

import org.jspecify.annotations.NullMarked;
