/**
 * Processes: long-lived entities with a state, a history of events and a timer, which answer calls and do one step at a time. {@link
 * dev.howdah.process.Processes} is the entry point; a {@link dev.howdah.process.Processor} is the user's code for a {@link
 * dev.howdah.process.Namespace}.
 *
 * <h2>The life of a process</h2>
 *
 * <pre>
 *          init               repair, simple repair
 *   (none) ----&gt; init ----+   +------------------+
 *                 |       |   v                  |
 *                 +----&gt; running  --error--&gt;   error
 *                          |
 *                          +--remove--&gt; (none)
 * </pre>
 *
 * <p>A row of {@code howdah_internal.process} holds the node that runs a step of the process, the {@code turn} of that claim, the number of waiting
 * calls, and the timer. The timer is columns of that row, not a row of its own, so a timer that waits for calls costs nothing, and one index
 * finds all due work: {@code process_due}, on a column that is NULL while a step runs.
 *
 * <h2>A step</h2>
 *
 * <pre>
 *   call, init, notify --&gt; howdah_internal.process_task --+
 *                                                +--&gt; claim (turn) --&gt; processor --&gt; commit --&gt; answer
 *   timer that is due ---------------------------+                                     |
 *                                     events, state, timer, reply, notices, next claim +
 * </pre>
 *
 * <p>The commit of a step is one statement, together with all steps that ended at about the same time. It is refused for a process
 * that the node does not hold under that turn any more. Callers get their answers after the commit.
 *
 * <h2>The parts of a node</h2>
 *
 * <p>{@code BatchWriter}s write ended steps ({@code StepWriter}, {@code FollowUpSteps}) and new requests ({@code RequestWriter}). The {@code
 * DuePoller} claims due processes. {@code NodePresence} holds the node's lock and listens; with it {@code ProcessMember} rescues processes
 * of crashed nodes. The {@code ReplyRegistry} knows the waiting callers. The {@code OutboxRelay}
 * passes notices to a publisher.
 *
 * <h2>Lock order</h2>
 *
 * <p>Every statement that writes to several processes locks them in the order of their ids, except that of the poller, which skips locked
 * rows. A request gets its id when its process is locked: that is the order of the requests.
 *
 * <h2>Where to start reading</h2>
 *
 * <p>{@code internal.worker.StepRunner} and {@code BatchWriter}, then {@code internal.step.StepEvaluator} and the SQL beside {@code
 * internal.store.ProcessSql}. For a caller: {@code internal.client.RequestClient}.
 */
@NullMarked
package dev.howdah.process;

import org.jspecify.annotations.NullMarked;
