package dev.howdah.kotlin

import dev.howdah.job.AddResult
import dev.howdah.job.Jobs
import dev.howdah.job.JobsException
import dev.howdah.job.Kind
import dev.howdah.job.NewJob
import dev.howdah.job.query.JobSummary
import kotlinx.coroutines.future.await

/** The calls of jobs that wait for the database, for coroutines: they suspend, and block no thread. */
public val Jobs.suspending: SuspendingJobs
    get() = SuspendingJobs(this)

/**
 * Calls of [Jobs] that suspend. They join the transaction of the calling thread, if there is a bridge to it. Cancelling the coroutine ends the waiting: a job that
 * is being added may be there all the same.
 *
 * @property jobs where they end up
 */
@JvmInline
public value class SuspendingJobs(public val jobs: Jobs) {
    /** As [Jobs.add]; returns the id. */
    public suspend fun <T : Any> add(kind: Kind<T>, payload: T): Long = jobs.addAsync(kind, payload).await()

    /** As [Jobs.add]. */
    public suspend fun add(job: NewJob<*>): AddResult = jobs.addAsync(job).await()

    /**
     * Suspends until the job has ended, however.
     *
     * @throws JobsException if the job is not there any more
     */
    public suspend fun await(id: Long): JobSummary = jobs.awaitAsync(id).await()

    /**
     * Suspends until the job is done, and returns its result, or null if its handler has set none.
     *
     * @throws JobsException if the job has failed, was cancelled, or is not there any more; the message says what happened
     */
    public suspend inline fun <reified R : Any> result(id: Long): R? = result(id, object : TypeToken<R>() {})

    @PublishedApi
    @Suppress("UNCHECKED_CAST") // of the type that was asked for
    internal suspend fun <R : Any> result(id: Long, type: TypeToken<R>): R? {
        val plain = type.plain()
        return (if (plain == null) jobs.result(id, type.reference()) else jobs.result(id, plain)).await() as R?
    }
}
