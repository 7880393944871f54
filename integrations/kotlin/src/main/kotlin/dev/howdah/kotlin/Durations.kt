package dev.howdah.kotlin

import dev.howdah.job.HandlerOptions
import dev.howdah.job.Jobs
import dev.howdah.job.JobsBuilder
import dev.howdah.job.Kind
import dev.howdah.job.NewJob
import dev.howdah.job.Schedule
import dev.howdah.job.query.JobSummary
import dev.howdah.process.Action
import kotlin.time.Duration
import kotlin.time.toJavaDuration

/** As [Kind.timeout]. */
public fun <T : Any> Kind<T>.timeout(time: Duration): Kind<T> = timeout(time.toJavaDuration())

/** As [NewJob.delay]. */
public fun <T : Any> NewJob<T>.delay(time: Duration): NewJob<T> = delay(time.toJavaDuration())

/** As [NewJob.timeout]. */
public fun <T : Any> NewJob<T>.timeout(time: Duration): NewJob<T> = timeout(time.toJavaDuration())

/** As [HandlerOptions.timeout]. */
public fun HandlerOptions.timeout(time: Duration): HandlerOptions = timeout(time.toJavaDuration())

/** As [JobsBuilder.defaultTimeout]. */
public fun JobsBuilder.defaultTimeout(time: Duration): JobsBuilder = defaultTimeout(time.toJavaDuration())

/** As [JobsBuilder.shutdownTimeout]. */
public fun JobsBuilder.shutdownTimeout(time: Duration): JobsBuilder = shutdownTimeout(time.toJavaDuration())

/** As [JobsBuilder.retention]. */
public fun JobsBuilder.retention(done: Duration, failed: Duration): JobsBuilder =
    retention(done.toJavaDuration(), failed.toJavaDuration())

/** As [Jobs.await]: blocks this thread; coroutines use [SuspendingJobs.await]. */
public fun Jobs.await(id: Long, timeout: Duration): JobSummary = await(id, timeout.toJavaDuration())

/** As [Schedule.every]. */
public fun schedule(name: String, every: Duration): Schedule = Schedule.every(name, every.toJavaDuration())

/** As [Action.timeout]. */
public fun timeoutAfter(time: Duration): Action = Action.timeout(time.toJavaDuration())
