/**
 * Tasks: SQL text in the table {@code task}, run later, in order, with its output in the same row. {@link dev.howdah.task.TaskTable} adds
 * and reads tasks, {@link dev.howdah.task.TaskScheduler} runs them.
 *
 * <h2>The life of a task</h2>
 *
 * <pre>
 *            expired                 cannot connect
 *   GONE &lt;---------- PLAN --------&gt; TAKE ------------&gt; FAIL
 *                     ^ |             |
 *        put back:    | | claim       | connected (remote tasks, and tables with a row trigger)
 *        crash, stop, | v             v
 *        lost session +-- WORK &lt;------+
 *                          |
 *                          +--&gt; DONE or FAIL --&gt; new row in PLAN: the next run of a repeat or cron, or the next attempt
 * </pre>
 *
 * <h2>Election and term</h2>
 *
 * <p>Each program that serves a table has a {@code SchedulerLoop}. It connects and tries the advisory lock of the table ({@code Elector}). The
 * scheduler that gets the lock is the leader; the others stand by, and a standby ends the session of a leader that no longer answers
 * ({@code LeaderWatch}). The lock belongs to a session, the {@code LeaderSession}, and the leader writes about tasks in no other session: when
 * the session ends, the server releases the lock, and a late write of the old leader cannot happen.
 *
 * <p>The time from the lock to its loss is a term. {@code TermSetup} completes the table, reads the settings, and checks which privileges
 * tasks may have. {@code LeaderTerm} then works in rounds.
 *
 * <h2>A round</h2>
 *
 * <pre>
 *   doorbell, ends of tasks, clock
 *          |
 *          v
 *   ScanLoop --due tasks--&gt; WaitingTasks --&gt; Dispatcher --claim--&gt; TaskExecution in a TaskSession
 *          ^                (one GroupQueue                              |
 *          |                 for each group)                             | result
 *   SchedulerIdleWait &lt;-- TaskStore: claims and ends, many in one statement &lt;--+
 * </pre>
 *
 * <p>The queue in memory is a hint; the claim in the table decides. Ends of short tasks are held for a moment and written together ({@code
 * EndBuffer}). {@code FollowUps} writes the next run or attempt in the statement of the end. A round without work leads to {@code
 * SchedulerIdleWait}: it looks every few milliseconds for a while, then takes the lock of the doorbell, looks once more, and sleeps.
 *
 * <h2>Sessions</h2>
 *
 * <p>Tasks run in sessions of the {@code SessionPool}, or of the {@code RemoteSessionPool} for other servers, within a {@code SessionQuota}
 * that all tables of the program share. The sessions use a client of the wire protocol of our own ({@code internal.wire}), since a task has to
 * find the session that psql would give it. Tasks of another owner than the scheduler's role run in a login role of that owner ({@code
 * internal.owner}).
 *
 * <h2>Recovery</h2>
 *
 * <p>A new leader finds tasks that sessions of an earlier leader still run. {@code OrphanRecovery} ends those sessions, and each task waits
 * until its session is gone, so no task runs twice at the same time. Other rows in WORK are put back to PLAN.
 *
 * <h2>Where to start reading</h2>
 *
 * <p>{@code internal.scheduler.SchedulerLoop} and {@code LeaderTerm}, then {@code internal.dispatch.Dispatcher}. Dependencies go from {@code
 * scheduler} to {@code dispatch}, {@code queue}, {@code session}, {@code owner}, {@code leader}, and from there to {@code quota}, {@code output}
 * and {@code model}. All state of a term belongs to one thread; sessions report to its mailbox.
 */
@NullMarked
package dev.howdah.task;

import org.jspecify.annotations.NullMarked;
