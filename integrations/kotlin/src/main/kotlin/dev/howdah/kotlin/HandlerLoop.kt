package dev.howdah.kotlin

import dev.howdah.job.Job.StopReason
import java.util.concurrent.LinkedBlockingQueue
import kotlin.coroutines.Continuation
import kotlin.coroutines.CoroutineContext
import kotlin.coroutines.startCoroutine
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.coroutineScope

/**
 * Runs the coroutines of one attempt in the thread of its handler, which is theirs alone: what belongs to a thread (the transaction of a framework, the
 * context of a trace, the places of waits) is there whenever they run. The handler's interruption cancels them.
 */
internal class HandlerLoop(private val job: dev.howdah.job.Job) : CoroutineDispatcher() {
    private val tasks = LinkedBlockingQueue<Runnable>()

    /** The parent of all coroutines of the attempt. */
    private val root = Job()

    @Volatile private var isOver = false

    override fun dispatch(context: CoroutineContext, block: Runnable) {
        tasks.add(block)
        if (isOver) handOn()
    }

    /** Runs that to its end, its children included, and returns what it returns. Everything that it throws is thrown as it is. */
    fun <T> runAll(context: CoroutineContext, block: suspend CoroutineScope.() -> T): T =
        try {
            run(context + root, block)
        } finally {
            isOver = true
            root.cancel()
            handOn()
        }

    /** As [runAll], within what already runs, whose other coroutines go on meanwhile. */
    fun <T> run(context: CoroutineContext, block: suspend CoroutineScope.() -> T): T {
        var ended: Result<T>? = null
        val body: suspend () -> T = { coroutineScope(block) }
        body.startCoroutine(Continuation(context + this) { ended = it })
        while (true) {
            ended?.let { return it.getOrThrow() }
            val task =
                try {
                    tasks.take()
                } catch (e: InterruptedException) {
                    stop()
                    continue
                }
            // Code of the handler may have caught the interruption.
            if (job.cancelled()) stop()
            task.run()
        }
    }

    private fun stop() {
        // Others than Howdah may interrupt a thread.
        val reason = job.stopReason().orElse(StopReason.CANCELLED)
        root.cancel(JobStoppedException(reason))
    }

    /** The end of a coroutine that was left to itself must not be lost. */
    private fun handOn() {
        while (true) Dispatchers.IO.dispatch(root, tasks.poll() ?: return)
    }
}
