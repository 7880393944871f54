/**
 * Does harm to the program while it works, and proves from what is left that nothing was lost.
 *
 * <p>Each scenario starts a PostgreSQL and one or more {@code howdah up} as processes of their own, keeps adding tasks of
 * many kinds, breaks something again and again, then lets everything come to rest. Tasks write down when their work begins
 * and ends, a trigger writes down every change of state; {@link dev.howdah.benchmarks.faults.Checker} reads both and
 * complains about everything that contradicts the promises: each task one final state, none lost, none twice at the same time,
 * limits of groups kept, repeats in unbroken chains, {@code once} exactly once.
 */
@NullMarked
package dev.howdah.benchmarks.faults;

import org.jspecify.annotations.NullMarked;
