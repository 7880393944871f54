/**
 * Sweeps: work on every row of a user's table that matches a condition, by any number of workers, any of which may crash at any time. The
 * table gets no column and no trigger. {@link dev.howdah.sweep.Sweep} starts or joins a sweep, {@link dev.howdah.sweep.Sweeps} shows and
 * controls the sweeps of a database.
 *
 * <h2>The life of a sweep</h2>
 *
 * <pre>
 *             pause                    a pass finds nothing
 *   paused &lt;--------- running -------------------------------&gt; done
 *          ---------&gt;  | ^ |
 *            resume    | | +-- too many failures in a row ---&gt; failed
 *                 stop v | start
 *                    stopped
 * </pre>
 *
 * <p>{@code again} begins a new run of a sweep that is done, stopped or failed.
 *
 * <h2>How a row is claimed</h2>
 *
 * <ol>
 *   <li>One {@code KeyPrefetcher} for each process reads the keys of rows that match, some thousand at a time and always after those that it
 *       has read before, and hands them to the workers of the process.
 *   <li>A worker tries the advisory locks of its keys, all in one statement, and waits for none. Keys that are locked are left to their
 *       holders.
 *   <li>The worker reads those rows a second time, in a snapshot that is younger than the locks: rows that another worker has done between
 *       the first read and the lock are dropped. Without that, rows would be processed twice.
 *   <li>It does the work, marks the row, commits, and only then releases the lock.
 * </ol>
 *
 * <p>Rows that were left out (locked, failed, new, or left by a crashed worker) are found by the next pass over the table. The
 * sweep is over when a pass finds nothing.
 *
 * <h2>Liveness</h2>
 *
 * <p>Locks of rows belong to the worker's session and end with it. Each process also holds the lock of its id in a session that
 * sends a statement twice a second ({@code ProgressReporter}); PostgreSQL ends it after ten seconds of silence. When that lock is free, {@code
 * DeadProcessRescuer} of another process ends the sessions of the workers: so a process that is frozen, or cut off, keeps no row.
 *
 * <h2>Where to start reading</h2>
 *
 * <p>{@code internal.run.SweepStarter} and {@code SweepRun}, then {@code internal.work.SweepWorker} and {@code internal.read.KeyPrefetcher}.
 * Dependencies go from {@code run} to {@code work}, {@code read}, {@code control}, {@code statements}, {@code store}.
 */
@NullMarked
package dev.howdah.sweep;

import org.jspecify.annotations.NullMarked;
