/**
 * Processes: each has a state, a history of events and a timer, answers calls, and does one thing at a time, whatever
 * dies.
 *
 * <h2>How a process moves</h2>
 *
 * <pre>
 *          init               repair, simple repair
 *   (none) ----> init ----+   +------------------+
 *                 |       |   v                  |
 *                 +----> running  --error-->   error
 *                          |
 *                          +--remove--> (none)
 * </pre>
 *
 * <p>A row of {@code howdah.process} is the truth about one: who works on it ({@code node}), under which {@code turn}, how
 * many calls wait, and its timer, which is some columns of that row and not a row of its own. So it costs nothing that a
 * timer steps aside while calls wait, and one index finds all that is due: {@code process_due}, on a column that is NULL
 * while somebody works on the process.
 *
 * <h2>A step</h2>
 *
 * <p>The processor says what a task comes to. Its events, the new state, the timer, the answer, the notices and the claim of the
 * process's next task are one statement, together with those of all steps that ended at about the same time. It is refused
 * for processes that are not this node's under that turn any more. Only then callers get their answers.
 *
 * <h2>The parts of a node</h2>
 *
 * <p>{@code BatchWriter}s write: steps that have ended, requests that have come in. The {@code DuePoller} takes what is due. {@code ProcessPresence} holds the node's lock, listens, and brings home
 * what dead nodes had. {@code ReplyRegistry} know who waits for an answer.
 *
 * <h2>Who waits for whom</h2>
 *
 * <p>Every statement that writes to several processes locks them in the order of their numbers, but for the lookout's, which
 * passes over what is locked. Requests are numbered when their process is locked: that is their order.
 */
@NullMarked
package dev.howdah.process;

import org.jspecify.annotations.NullMarked;
