package dev.howdah.kotlin

import dev.howdah.fixtures.PostgresTest
import dev.howdah.fixtures.TestDatabase
import dev.howdah.job.Job.StopReason
import dev.howdah.job.Jobs
import dev.howdah.job.JobsBuilder
import dev.howdah.job.query.JobState
import dev.howdah.spi.RetryPolicy
import java.util.concurrent.CompletableFuture
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.TimeUnit
import javax.sql.DataSource
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.future.await
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import org.slf4j.MDC

/** Handlers that suspend: what ends them, what they wait for, in which threads they run. */
@PostgresTest
@Timeout(120)
class SuspendingHandlersTest(private val database: TestDatabase) {
    data class Line(val article: String, val pieces: Int = 1)

    private val work = kind<String>("work")
    private val source: DataSource = database.source()
    private val seen = ConcurrentLinkedQueue<String>()

    private fun node(): JobsBuilder = Jobs.on(source).defaultRetries(RetryPolicy.after(java.time.Duration.ZERO))

    private fun state(jobs: Jobs, id: Long): JobState = jobs.await(id, 1.minutes).state()

    @Test
    fun payloadOfAGenericType_isAsItWasAdded() {
        val pack = kind<List<Line>>("pack", queue = "packing", priority = 5)
        node()
            .handlers {
                handle(pack, timeout = 30.seconds) { lines ->
                    delay(1.milliseconds)
                    result(lines.associate { it.article to it.pieces })
                }
            }
            .start()
            .use { jobs ->
                runBlocking {
                    val id = jobs.suspending.add(pack, listOf(Line("pen"), Line("ink", 3)))
                    assertThat(jobs.suspending.result<Map<String, Int>>(id)).isEqualTo(mapOf("pen" to 1, "ink" to 3))
                    assertThat(jobs.suspending.await(id).queue()).isEqualTo("packing")
                }
            }
    }

    @Test
    fun kindWithoutAPayload_isHandled() {
        val tick = kind<Void>("tick")
        node().handlers { handle(tick) { result("$attempt of ${job.kind()}") } }.start().use { jobs ->
            val id = jobs.add(dev.howdah.job.NewJob.of(tick)).id()
            assertThat(jobs.result(id, String::class.java).get(1, TimeUnit.MINUTES)).isEqualTo("1 of tick")
        }
    }

    @Test
    fun steps_thatSuspend_areDoneOnce_besideOtherCoroutines() {
        node()
            .handlers {
                handle(work) { text ->
                    val sibling = async { yield(); "sibling" }
                    val lines = step("lines") { seen += "read"; delay(1.milliseconds); listOf(Line(text + sibling.await())) }
                    val none = step<String?>("none") { seen += "none"; null }
                    step("mail") { withContext(Dispatchers.IO) { seen += "mail" } }
                    if (attempt == 1) error("once more")
                    result("${lines.single().article} $none")
                }
            }
            .start()
            .use { jobs ->
                val id = jobs.add(work, "by ")
                assertThat(jobs.result(id, String::class.java).get(1, TimeUnit.MINUTES)).isEqualTo("by sibling null")
                assertThat(seen).containsExactly("read", "none", "mail")
            }
    }

    @Test
    fun stepInAStep_isRefused_andStepsAtOnceWaitForEachOther() {
        node()
            .handlers {
                handle(work, retries = RetryPolicy.never()) {
                    val parts = List(5) { number -> async { step("part $number") { yield(); number } } }
                    result(parts.sumOf { it.await() })
                    step("outer") { step("inner") {} }
                }
            }
            .start()
            .use { jobs ->
                val job = jobs.await(jobs.add(work, ""), 1.minutes)
                assertThat(job.state()).isEqualTo(JobState.FAILED)
                assertThat(job.error()).contains("step \"inner\" is asked for in another step")
            }
    }

    @Test
    fun failureOfACoroutine_failsTheAttempt_asItWasThrown() {
        node()
            .handlers {
                handle(work, retries = RetryPolicy.never()) {
                    launch { throw IllegalStateException("in a child") }
                    awaitCancellation()
                }
            }
            .start()
            .use { jobs -> assertThat(jobs.await(jobs.add(work, ""), 1.minutes).error()).contains("IllegalStateException: in a child") }
    }

    @Test
    fun timeoutOfItsOwn_isAFailure() {
        node()
            .handlers { handle(work, retries = RetryPolicy.never()) { withTimeout(1.milliseconds) { awaitCancellation() } } }
            .start()
            .use { jobs -> assertThat(jobs.await(jobs.add(work, ""), 1.minutes).error()).contains("TimeoutCancellationException") }
    }

    @Test
    fun timeoutOfTheJob_cancelsAllCoroutines_andWaitsForTheirCleanUp() {
        node()
            .handlers {
                handle(work, retries = RetryPolicy.never(), timeout = 100.milliseconds) {
                    launch(Dispatchers.Default) {
                        try {
                            awaitCancellation()
                        } catch (e: JobStoppedException) {
                            withContext(NonCancellable) { delay(50.milliseconds); seen += "cleaned up after ${e.reason}" }
                        }
                    }
                    awaitCancellation()
                }
            }
            .start()
            .use { jobs ->
                val job = jobs.await(jobs.add(work, ""), 1.minutes)
                assertThat(seen).containsExactly("cleaned up after " + StopReason.TIMEOUT)
                assertThat(job.state()).isEqualTo(JobState.FAILED)
                assertThat(job.error()).contains("its time was over")
            }
    }

    @Test
    fun cancelledJob_isCancelled_alsoWhereItsHandlerReturnsBehindThat() {
        val began = CompletableFuture<Unit>()
        node()
            .handlers {
                handle(work) {
                    step("slow") {
                        began.complete(Unit)
                        awaitCancellation()
                    }
                }
            }
            .start()
            .use { jobs ->
                val id = jobs.add(work, "")
                began.get(1, TimeUnit.MINUTES)
                jobs.admin().cancel(id)
                assertThat(state(jobs, id)).isEqualTo(JobState.CANCELLED)
            }
    }

    @Test
    fun nodeThatStops_cancelsItsHandlers_andTheAttemptDoesNotCount() {
        val began = CompletableFuture<Unit>()
        val reason = CompletableFuture<StopReason>()
        val id =
            node()
                .shutdownTimeout(1.milliseconds)
                .handlers {
                    handle(work) {
                        began.complete(Unit)
                        try {
                            awaitCancellation()
                        } catch (e: JobStoppedException) {
                            reason.complete(e.reason)
                            throw e
                        }
                    }
                }
                .start()
                .use { jobs -> jobs.add(work, "").also { began.get(1, TimeUnit.MINUTES) } }
        assertThat(reason.get(1, TimeUnit.MINUTES)).isEqualTo(StopReason.NODE_STOPPING)
        node().handlers { handle(work) { result(attempt) } }.start().use { jobs ->
            assertThat(jobs.result(id, Int::class.javaObjectType).get(1, TimeUnit.MINUTES)).isEqualTo(1)
        }
    }

    @Test
    fun waits_endTheRun_andItsCoroutines() {
        val wake = kind<String>("wake")
        node()
            .handlers {
                handle(work) { text ->
                    val tag = step("tag") { seen += "step"; "$text!" }
                    val child = child("wake", wake.job(text))
                    launch { awaitCancellation() }.also { if (attempt > 0) it.cancel() }
                    val woken = await<List<String>>(child)
                    val answer = signal<String>("answer", 1.hours)
                    result("$tag ${woken?.single()} ${answer?.payload()}")
                }
                handle(wake) { text -> result(listOf("woken $text")) }
            }
            .start()
            .use { jobs ->
                val id = jobs.add(work, "x")
                jobs.signal(id, "answer", "yes")
                assertThat(jobs.result(id, String::class.java).get(1, TimeUnit.MINUTES)).isEqualTo("x! woken x yes")
                assertThat(seen).containsExactly("step")
            }
    }

    @Test
    fun fieldsOfLogLines_andTheThreadOfTheHandler_areKept() {
        node()
            .handlers {
                handle(work) {
                    val own = Thread.currentThread()
                    val elsewhere = withContext(Dispatchers.IO) { delay(1.milliseconds); MDC.get("kind") }
                    delay(1.milliseconds)
                    result(listOf(elsewhere, MDC.get("kind"), (own == Thread.currentThread()).toString()))
                }
            }
            .start()
            .use { jobs ->
                runBlocking {
                    val id = jobs.suspending.add(work, "")
                    assertThat(jobs.suspending.result<List<String>>(id)).containsExactly("work", "work", "true")
                }
            }
    }

    @Test
    fun progressAndLines_flowUntilTheJobHasEnded() {
        val seen = CompletableFuture<Unit>()
        node()
            .handlers {
                handle(work) {
                    log("begins")
                    progress(0.5, "half")
                    seen.await()
                    log("ends")
                    progress(1.0)
                }
            }
            .start()
            .use { jobs ->
                runBlocking {
                    val id = jobs.suspending.add(work, "")
                    val progress = mutableListOf<Double>()
                    jobs.suspending.progress(id, 10.milliseconds).collect {
                        progress += it.done()
                        seen.complete(Unit)
                    }
                    assertThat(progress).startsWith(0.5)
                    val lines = jobs.suspending.log(id, 10.milliseconds).toList()
                    assertThat(lines.map { it.line() }).containsExactly("begins", "ends")
                }
            }
    }

    @Test
    fun coroutineThatIsCancelled_endsItsWait_andNotTheJob() {
        val go = CompletableDeferred<Unit>()
        node().handlers { handle(work) { go.await() } }.start().use { jobs ->
            runBlocking {
                val id = jobs.suspending.add(work, "")
                val waiting = launch { jobs.suspending.await(id) }
                yield()
                waiting.cancel()
                waiting.join()
                go.complete(Unit)
                assertThat(jobs.suspending.await(id).state()).isEqualTo(JobState.DONE)
            }
        }
    }

    @Test
    fun twoHandlersOfAKind_areRefused() {
        assertThatThrownBy {
                node().handlers {
                    handle(work) {}
                    handle(work) {}
                }
            }
            .isInstanceOf(IllegalArgumentException::class.java)
    }
}
