/**
 * How a node claims jobs: the claim threads, the polls of each lane, concurrency limits, sleep until the doorbell.
 *
 * <p>When a lane is looked at, as {@link dev.howdah.job.internal.claim.LanePoll} has it. Two claimers look at a lane at once
 * only where one of them began behind a full batch:
 *
 * <pre>
 * due -&gt; looked at -&gt; due                            it was full: others may join
 *                  -&gt; nap of 1 to 20 ms -&gt; due        it was not
 *                  -&gt; starved, until a worker is idle -&gt; due
 *                  -&gt; paced, until its rate leaves room -&gt; due
 *                  -&gt; failed, 100 ms -&gt; due
 * asleep -&gt; due                                      it was rung for, or the node is awake
 * </pre>
 *
 * <p>When a look is one from the beginning, which also finds jobs that were committed late:
 *
 * <pre>
 * known -&gt; owed            after 1 s, or after 50 times of what the last one took
 * owed -&gt; known            the next look is one, if the last one took less than 5 ms
 * owed -&gt; left -&gt; taken    another claimer begins it, beside the looks of the first
 * left -&gt; owed             no other claimer has begun it for 500 ms
 * taken -&gt; known, or owed  the look has ended, or has failed
 * </pre>
 *
 * <p>How a node sleeps, as {@link dev.howdah.job.internal.claim.LaneSleep} has it:
 *
 * <pre>
 * awake -&gt; last looks      all lanes are quiet: the bells are set, and each lane is looked at from the beginning
 * last looks -&gt; awake      a job was found
 * last looks -&gt; asleep     a bell that rang meanwhile ends the sleep at once
 * asleep -&gt; settling       a bell rang, and a job came alone: up to 10 ms until it has ended
 * settling -&gt; asleep       no other lane was rung for, or a look at it found nothing
 * asleep, settling -&gt; awake
 * </pre>
 */
@NullMarked
package dev.howdah.job.internal.claim;

import org.jspecify.annotations.NullMarked;
