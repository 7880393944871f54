package dev.howdah.kotlin

import dev.howdah.job.Job.StopReason
import kotlin.coroutines.cancellation.CancellationException

/**
 * Cancels the coroutines of a handler that is to stop. What else a handler throws, a `TimeoutCancellationException` of its own included, fails its attempt.
 *
 * @property reason why it is to stop
 */
public class JobStoppedException(public val reason: StopReason) :
    CancellationException("the job is to stop: " + reason.name.lowercase().replace('_', ' '))
