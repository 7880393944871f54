package dev.howdah.kotlin

import dev.howdah.job.AddResult
import dev.howdah.job.Jobs
import dev.howdah.job.JobsException
import dev.howdah.job.Kind
import dev.howdah.job.NewJob
import dev.howdah.job.query.JobLogLine
import dev.howdah.job.query.JobProgress
import dev.howdah.job.query.JobState
import dev.howdah.job.query.JobSummary
import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.distinctUntilChanged
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.flowOn
import kotlinx.coroutines.future.await

private val ENDED = setOf(JobState.DONE, JobState.FAILED, JobState.CANCELLED)
private const val MOST_LINES = 10_000

/** What a handler says is written within a second. */
private val WRITTEN = 1.seconds

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

    /** The progress of a job, each time it is another one, until the job has ended; the database is asked [every] so often. */
    public fun progress(id: Long, every: Duration = 1.seconds): Flow<JobProgress> =
        flow {
                var ended = false
                while (!ended) {
                    ended = hasEnded(id)
                    if (ended) delay(WRITTEN)
                    jobs.admin().progress(id).orElse(null)?.let { emit(it) }
                    if (!ended) delay(every)
                }
            }
            .distinctUntilChanged()
            .flowOn(Dispatchers.IO)

    /** The lines that the handlers of a job log for it, the first one first, until the job has ended; the database is asked [every] so often. */
    public fun log(id: Long, every: Duration = 1.seconds): Flow<JobLogLine> =
        flow {
                var told = 0
                var ended = false
                while (!ended) {
                    ended = hasEnded(id)
                    if (ended) delay(WRITTEN)
                    val lines = jobs.admin().log(id, MOST_LINES)
                    lines.drop(told).forEach { emit(it) }
                    told = lines.size
                    if (!ended) delay(every)
                }
            }
            .flowOn(Dispatchers.IO)

    private fun hasEnded(id: Long): Boolean = jobs.admin().find(id).map { it.state() in ENDED }.orElse(true)

    @PublishedApi
    @Suppress("UNCHECKED_CAST") // of the type that was asked for
    internal suspend fun <R : Any> result(id: Long, type: TypeToken<R>): R? {
        val plain = type.plain()
        return (if (plain == null) jobs.result(id, type.reference()) else jobs.result(id, plain)).await() as R?
    }
}
