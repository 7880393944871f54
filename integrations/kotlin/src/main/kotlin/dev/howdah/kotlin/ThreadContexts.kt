package dev.howdah.kotlin

import io.opentelemetry.context.Context
import io.opentelemetry.context.Scope
import kotlin.coroutines.AbstractCoroutineContextElement
import kotlin.coroutines.CoroutineContext
import kotlin.coroutines.EmptyCoroutineContext
import kotlinx.coroutines.ThreadContextElement
import org.slf4j.MDC

/** What a handler's thread carries, for coroutines that go to other threads. */
internal fun carried(): CoroutineContext = LogFields(MDC.getCopyOfContextMap()) + trace()

private fun trace(): CoroutineContext =
    if (hasOpenTelemetry) TraceContext(Context.current()) else EmptyCoroutineContext

private val hasOpenTelemetry: Boolean =
    try {
        Class.forName("io.opentelemetry.context.Context", false, HandlerLoop::class.java.classLoader) != null
    } catch (e: ClassNotFoundException) {
        false
    }

/** The fields of log lines. */
private class LogFields(private val fields: Map<String, String?>?) :
    AbstractCoroutineContextElement(LogFields), ThreadContextElement<Map<String, String?>?> {
    companion object Key : CoroutineContext.Key<LogFields>

    override fun updateThreadContext(context: CoroutineContext): Map<String, String?>? {
        val before = MDC.getCopyOfContextMap()
        set(fields)
        return before
    }

    override fun restoreThreadContext(context: CoroutineContext, oldState: Map<String, String?>?) = set(oldState)

    private fun set(all: Map<String, String?>?) = if (all == null) MDC.clear() else MDC.setContextMap(all)
}

/** The context of the trace. Loaded only where the library of OpenTelemetry is there. */
private class TraceContext(private val trace: Context) :
    AbstractCoroutineContextElement(TraceContext), ThreadContextElement<Scope> {
    companion object Key : CoroutineContext.Key<TraceContext>

    override fun updateThreadContext(context: CoroutineContext): Scope = trace.makeCurrent()

    override fun restoreThreadContext(context: CoroutineContext, oldState: Scope) = oldState.close()
}
