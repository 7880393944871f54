/**
 * Jobs: typed payloads that handlers in Java run later, by priority and time. {@link dev.howdah.job.Jobs} is the entry point, made by a
 * {@link dev.howdah.job.JobsBuilder}.
 *
 * <h2>The life of a job</h2>
 *
 * <pre>
 *   add --&gt; howdah_internal.job --claim--&gt; howdah_internal.batch (open) --settle--&gt; howdah_internal.batch (ended): the history
 *              ^                     |        |
 *              |  retry, snooze,     |        +--fail, cancel--&gt; howdah_internal.failed
 *              +--give back, rescue--+
 * </pre>
 *
 * <p>A claim deletes: one statement settles the node's previous batch, deletes up to some hundred jobs from {@code howdah_internal.job}, and stores
 * them as arrays in one row of {@code howdah_internal.batch} under the id of the node. So a job is written once when it is added and deleted once when
 * it is claimed; its outcome is a few bytes in a row of hundreds.
 *
 * <h2>Fencing</h2>
 *
 * <p>A node is alive while its session holds the advisory lock of its id ({@code NodePresence}). When the lock is free, another node rescues
 * the open batches ({@code JobRecovery}). A settle names the claim by a random token and is refused for a batch that has ended: a node that was
 * frozen and declared dead cannot write outcomes of jobs that others have claimed since.
 *
 * <h2>The parts of a node</h2>
 *
 * <p>{@code Claimer}s claim and settle batches, each in a session of its own. The {@code WorkerPool} runs the handlers by {@code JobExecutor},
 * which also decides about retries. {@code NodePresence} holds the node's lock, listens to the doorbell, and watches other nodes, with {@code JobMember}. {@code
 * JobMaintenance} runs periodic work: schedules ({@code internal.schedule.ScheduleEnqueuer}), statistics, retention ({@code HistoryCleaner}).
 *
 * <h2>Where to start reading</h2>
 *
 * <p>To add: {@code internal.insert.JobInserter}. To run: {@code internal.node.JobNode}, {@code internal.claim.Claimer}, {@code
 * internal.execute.JobExecutor}. Dependencies go from {@code node} to {@code claim}, {@code worker}, {@code execute}, {@code batch}, {@code attempt}, {@code lane}, {@code
 * store}, and from {@code maintain} to {@code schedule}, {@code insert}, {@code lane}, {@code store}.
 */
@NullMarked
package dev.howdah.job;

import org.jspecify.annotations.NullMarked;
