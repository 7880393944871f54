/**
 * Jobs: typed payloads, worked by handlers in Java, later, once, in order of priority.
 *
 * <h2>How a job moves</h2>
 *
 * <pre>
 *   add --> howdah.job --claim--> howdah.batch (open) --finish--> howdah.batch (ended): the history
 *              ^                     |        |
 *              |  retry, snooze,     |        +--fail, cancel--> howdah.failed
 *              +--give back, death --+
 * </pre>
 *
 * <p>Claiming deletes: one statement writes down what became of the node's last batch, deletes up to some hundred jobs from
 * {@code howdah.job} and puts them as arrays into one row of {@code howdah.batch} under the node's number. So a job is
 * written once when it is added and deleted once when it is taken, and the rest is a few bytes in a row for hundreds.
 *
 * <h2>Who may write</h2>
 *
 * <p>A node is alive while its session holds the advisory lock of its number ({@code JobPresence}). Who finds
 * that lock free brings the node's open batches home. Each outcome is written {@code WHERE node = mine AND ended IS NULL}:
 * a node that was taken for dead, but was only frozen, finds its batches ended, and what it did is refused.
 *
 * <h2>The parts of a node</h2>
 *
 * <p>{@code Claimer}s take batches and write outcomes, each with a session of its own. The {@code WorkerPool} runs the
 * jobs. {@code JobPresence} holds the node's lock, listens for rings, and watches the other nodes. {@code HistoryCleaner} makes the tables of the days to come and drops those of days gone.
 */
@NullMarked
package dev.howdah.job;

import org.jspecify.annotations.NullMarked;
