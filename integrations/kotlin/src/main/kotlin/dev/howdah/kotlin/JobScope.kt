package dev.howdah.kotlin

import dev.howdah.job.Job
import dev.howdah.job.NewJob
import dev.howdah.job.wait.Child
import dev.howdah.job.wait.Signal
import java.time.Instant
import java.util.concurrent.Callable
import kotlin.coroutines.AbstractCoroutineContextElement
import kotlin.coroutines.CoroutineContext
import kotlin.time.Duration
import kotlin.time.toJavaDuration
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.sync.Mutex
import kotlinx.coroutines.sync.withLock
import kotlinx.coroutines.withContext

/**
 * A job as its suspending handler sees it, and the scope of the handler's coroutines: the attempt ends when they have ended. They run in the handler's thread
 * until they go to another dispatcher. If the job is cancelled, its time is over, or its node stops, they are cancelled with a [JobStoppedException].
 *
 * @property job the rest of what a handler may ask and say
 */
public class JobScope
internal constructor(
    public val job: Job,
    private val loop: HandlerLoop,
    private val steps: Mutex,
    override val coroutineContext: CoroutineContext,
) : CoroutineScope {
    /** The id, the same in all attempts. */
    public val id: Long
        get() = job.id()

    /** The number of this attempt, from 1. */
    public val attempt: Int
        get() = job.attempt()

    /** Whether the node is about to stop: true some time before the coroutines are cancelled; see [Job.nodeIsStopping]. */
    public val isNodeStopping: Boolean
        get() = job.nodeIsStopping()

    /** Says how far the job is, from 0 to 1; see [Job.progress]. */
    public fun progress(done: Double, message: String? = null): Unit = job.progress(done, message)

    /** Logs a line for the job; see [Job.log]. */
    public fun log(line: String): Unit = job.log(line)

    /** Sets the result of the job; see [Job.result]. */
    public fun result(value: Any?): Unit = job.result(value)

    /**
     * Runs a part of the handler, and records its result: a later attempt of this job gets the recorded result, and the part does not run again; see [Job.step].
     * Steps of a handler run one after the other; other coroutines of the handler go on meanwhile.
     *
     * @param name 1 to 200 characters, unique in this handler: in a loop the number has to be a part of it
     * @param T of the result, generic types included; nullable if the part may return null, `Unit` if it returns nothing
     * @throws IllegalStateException in another step, and as [Job.step]
     */
    public suspend inline fun <reified T> step(name: String, noinline part: suspend CoroutineScope.() -> T): T =
        recorded<T>(name, if (Unit is T) null else object : TypeToken<T>() {}, part)

    @PublishedApi
    @Suppress("UNCHECKED_CAST") // of the type that was asked for, and null only if the part may return it
    internal suspend fun <T> recorded(name: String, type: TypeToken<T>?, part: suspend CoroutineScope.() -> T): T {
        check(currentCoroutineContext()[InStep] == null) { "step \"$name\" is asked for in another step" }
        return withContext(loop) {
            steps.withLock {
                val run = { loop.run(coroutineContext + InStep(), part) }
                if (type == null) unit(name, run) as T else recorded(name, type, run) as T
            }
        }
    }

    private fun unit(name: String, run: () -> Any?) {
        job.step(
            name,
            Void::class.java,
            Callable<Void?> {
                run()
                null
            },
        )
    }

    private fun recorded(name: String, type: TypeToken<*>, run: () -> Any?): Any? {
        val plain = type.plain()
        val work = Callable<Any?> { run() }
        return if (plain == null) job.step(name, type.reference(), work) else job.step(name, plain, work)
    }

    /** Waits for a time, also for months, without a thread; see [Job.sleep]. The run ends here, and begins at its top when the time is over. */
    public suspend fun sleep(name: String, time: Duration, spread: Duration = Duration.ZERO): Unit =
        withContext(loop) { job.sleep(name, time.toJavaDuration(), spread.toJavaDuration()) }

    /** As [sleep], until a time by the database's clock. */
    public suspend fun sleepUntil(name: String, end: Instant): Unit = withContext(loop) { job.sleepUntil(name, end) }

    /** Waits for a signal without a thread, as [sleep] waits for a time; null: none came in time. See [Job.await]. */
    public suspend inline fun <reified T : Any> signal(name: String, atMost: Duration): Signal<T>? =
        signal(name, T::class.javaObjectType, atMost)

    @PublishedApi
    internal suspend fun <T : Any> signal(name: String, type: Class<T>, atMost: Duration): Signal<T>? =
        withContext(loop) { job.await(name, type, atMost.toJavaDuration()).orElse(null) }

    /** Adds a job as a child of this one; see [Job.child]. */
    public suspend fun child(name: String, added: NewJob<*>): Child = withContext(loop) { job.child(name, added) }

    /** Waits for the end of a child without a thread, and returns its result, or null if it has set none; see [Job.awaitChild]. */
    public suspend inline fun <reified T : Any> await(child: Child): T? = await(child, object : TypeToken<T>() {})

    @PublishedApi
    @Suppress("UNCHECKED_CAST") // of the type that was asked for
    internal suspend fun <T : Any> await(child: Child, type: TypeToken<T>): T? =
        withContext(loop) {
            val plain = type.plain()
            (if (plain == null) job.awaitChild(child, type.reference()) else job.awaitChild(child, plain)) as T?
        }

    /** The result of a job that this one has waited for in its workflow; null if it has set none. See [Job.resultOf]. */
    public inline fun <reified T : Any> resultOf(name: String): T? = resultOf(name, object : TypeToken<T>() {})

    @PublishedApi
    @Suppress("UNCHECKED_CAST") // of the type that was asked for
    internal fun <T : Any> resultOf(name: String, type: TypeToken<T>): T? {
        val plain = type.plain()
        return (if (plain == null) job.resultOf(name, type.reference()) else job.resultOf(name, plain)) as T?
    }

    private class InStep : AbstractCoroutineContextElement(InStep) {
        companion object Key : CoroutineContext.Key<InStep>
    }
}
