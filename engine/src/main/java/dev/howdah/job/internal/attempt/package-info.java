/**
 * Attempts: a claimed job, and the result of one run of its handler.
 *
 * <h2>The state of a job after an attempt</h2>
 *
 * <p>Each attempt of a claimed job ends in one {@link dev.howdah.job.internal.attempt.AttemptState}. The codes stand in {@code
 * howdah_internal.batch.outcomes}. {@code MOVED} is no end: the attempt goes on in a batch of its own. {@code NODE_CRASHED} is written by the node
 * that rescues the batch; the other states are written by the node that has claimed it.
 *
 * <pre>
 *   code  attempt        job        attempts
 *   d     DONE           DONE       COUNTED
 *   n     NEXT_STAGE     WAITING    RESET
 *   r     RETRIED        DELAYED    COUNTED
 *   s     SNOOZED        DELAYED    KEPT
 *   w     SUSPENDED      SUSPENDED  RESET
 *   g     GIVEN_BACK     WAITING    KEPT
 *   u     UNKNOWN_KIND   WAITING    KEPT
 *   m     MOVED          RUNNING    KEPT
 *   f     FAILED         FAILED     COUNTED
 *   c     CANCELLED      CANCELLED  COUNTED
 *   x     NODE_CRASHED   WAITING    COUNTED
 * </pre>
 */
@NullMarked
package dev.howdah.job.internal.attempt;

import org.jspecify.annotations.NullMarked;
