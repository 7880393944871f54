/**
 * Workers in any language, which claim jobs by HTTP.
 *
 * <p>For each set of queues and kinds that workers ask for there is a {@link PolledNode}: a node of jobs in this program that claims as many jobs
 * as requests wait for. A claimed job has a handler as any other, which does nothing but wait for the worker's word, as a {@link HttpClaim}:
 *
 * <pre>
 *   claimed --> handed to a waiting request --> complete, fail, snooze, release: answered when it is written
 *                  |        ^     |
 *                  |        +-----+ heartbeat: the lease begins anew; tells of a cancellation
 *                  +--> lease over: the attempt has failed, its token is worth nothing
 *                  +--> cancelled, timed out: the worker has 25 s to say how it ended
 *   this program ends or crashes: the job goes back as the jobs of any node do, the token is worth nothing
 * </pre>
 */
@NullMarked
package dev.howdah.console.internal.api.worker;

import org.jspecify.annotations.NullMarked;
