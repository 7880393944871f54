package dev.howdah.kotlin

import dev.howdah.job.HandlerOptions
import dev.howdah.job.Job
import dev.howdah.job.JobsBuilder
import dev.howdah.job.Kind
import dev.howdah.spi.RetryPolicy
import java.sql.Connection
import kotlin.time.Duration
import kotlin.time.toJavaDuration
import kotlinx.coroutines.sync.Mutex

/**
 * Registers handlers that are suspending functions:
 *
 * ```
 * Jobs.on(dataSource)
 *     .handlers {
 *         handle(welcome, timeout = 30.seconds) { payload -> mail(payload.email) }
 *     }
 *     .start()
 * ```
 */
public fun JobsBuilder.handlers(define: Handlers.() -> Unit): JobsBuilder = apply { Handlers(this).define() }

/** The handlers of a node of jobs. */
public class Handlers internal constructor(private val builder: JobsBuilder) {
    /**
     * Registers the handler of a kind. Each attempt has a thread of the node, as many at a time as [JobsBuilder.concurrency] says, until all of its coroutines have
     * ended; with [JobsBuilder.virtualThreads] a waiting one costs next to nothing.
     *
     * @param retries null: the policy of the kind, or of the node
     * @param timeout of one attempt; null: that of the kind, or of the node
     * @throws IllegalArgumentException if the kind has a handler already
     */
    public fun <T : Any> handle(
        kind: Kind<T>,
        retries: RetryPolicy? = null,
        timeout: Duration? = null,
        handler: suspend JobScope.(payload: T) -> Unit,
    ) {
        builder.handle(kind, { payload, job -> run(job) { handler(payload) } }, options(retries, timeout))
    }

    /** As [handle], for a kind without a payload. */
    @JvmName("handleWithoutPayload")
    public fun handle(
        kind: Kind<Void>,
        retries: RetryPolicy? = null,
        timeout: Duration? = null,
        handler: suspend JobScope.() -> Unit,
    ) {
        builder.handle(kind, { _, job -> run(job, handler) }, options(retries, timeout))
    }

    /**
     * Registers a handler that runs in the job's own transaction: exactly once. It does not suspend, since a transaction that waits holds its locks and keeps
     * the server from cleaning up.
     */
    public fun <T : Any> handleInTransaction(
        kind: Kind<T>,
        retries: RetryPolicy? = null,
        timeout: Duration? = null,
        handler: (payload: T, job: Job, connection: Connection) -> Unit,
    ) {
        builder.handleInTransaction(kind, { payload, job, connection -> handler(payload, job, connection) }, options(retries, timeout))
    }

    private fun options(retries: RetryPolicy?, timeout: Duration?): (HandlerOptions) -> Unit = { options ->
        if (retries != null) options.retries(retries)
        if (timeout != null) options.timeout(timeout.toJavaDuration())
    }

    private fun run(job: Job, handler: suspend JobScope.() -> Unit) {
        val loop = HandlerLoop(job)
        loop.runAll(carried()) { JobScope(job, loop, Mutex(), coroutineContext).handler() }
    }
}
