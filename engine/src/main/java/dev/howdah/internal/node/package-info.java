/**
 * The protocol of nodes, for all features. A node is a row of {@code howdah_internal.node} and the advisory lock of its id, which one session
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
 * <p>A program is one node ({@code ProgramNode}): features that are started over the same data source object and under the same name
 * share it.
 *
 * <pre>
 *   JobNode ------ NodeSeat --+                                      +-- NodeMember (jobs)
 *                             +-- ProgramNode -- NodePresence -------+
 *   StepRunner --- NodeSeat --+                  (session, thread)   +-- NodeMember (processes)
 * </pre>
 *
 * <p>A feature enters the row of the node first ({@code node_join}), then the session listens for it, then it claims. It leaves in the
 * other order. {@code NodePresence} is the session and its thread; {@code NodeMembers} are the features in it, each a {@code
 * NodeMember}; when the node is lost, each feature's {@code NodeSupervisor} ends its work and joins again. Sweeps have rows of their own, {@code howdah_internal.sweep_process}, and share {@code DeathWatch}, {@code
 * ForeignLocks} and {@code NodeIdentity}.
 */
@NullMarked
package dev.howdah.internal.node;

import org.jspecify.annotations.NullMarked;
