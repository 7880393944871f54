/**
 * Steps: the state that a processor sees, its answer, and the commit of a step.
 *
 * <h2>The state of a process after a step</h2>
 *
 * <p>Each step ends in one {@link dev.howdah.process.internal.step.StepDisposition}. A step of a timer that succeeds without setting another
 * one has none afterwards. A timer that has broken its process stays for the repair.
 *
 * <pre>
 *   code  step       process    timer
 *   k     COMPLETED  RUNNING    KEPT
 *   s     SUSPENDED  RUNNING    NONE
 *   t     SCHEDULED  RUNNING    SET
 *   r     RETRIED    UNCHANGED  SET
 *   e     BROKEN     ERROR      NONE
 *   f     FAILED     UNCHANGED  KEPT
 *   x     REMOVED    REMOVED    NONE
 * </pre>
 */
@NullMarked
package dev.howdah.process.internal.step;

import org.jspecify.annotations.NullMarked;
