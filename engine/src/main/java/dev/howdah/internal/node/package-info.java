/**
 * The protocol of nodes, for all features. A node is a row of {@code howdah.node} and the advisory lock of its id, which one session
 * holds.
 *
 * <pre>
 *   enter ----&gt; lives ----------------------- leave ------------------&gt; (no row)
 *                |  ^                                                       ^
 *   session lost |  | present: lock again,                                  | last feature
 *                v  | returned + 1                                          |
 *               away --- lock free in two looks ---&gt; dead --- claims of a feature recovered
 *                          (DeathWatch)                       (NodeRescuer, ClaimRecovery):
 *                                                             removed from features
 * </pre>
 *
 * <p>The column {@code features} says for which features the node has claims, or has left claims that are still to be recovered.
 * Nodes watch those that have a feature of their own. The first recovery of any feature ends the node: {@code present} and {@code
 * watch} of the node itself ask for all of its features, and so it becomes another node. The column {@code incarnation} is random:
 * after a failover that lost WAL the id may be another node's.
 *
 * <p>{@code NodePresence} is the session and its thread; a {@code NodeMember} is a feature in it; {@code NodeSupervisor} begins
 * another node after a loss. Sweeps have rows of their own, {@code howdah.sweep_process}, and share {@code DeathWatch}, {@code
 * ForeignLocks} and {@code NodeIdentity}.
 */
@NullMarked
package dev.howdah.internal.node;

import org.jspecify.annotations.NullMarked;
