package dev.howdah.kotlin

import dev.howdah.job.Kind
import dev.howdah.job.NewJob
import dev.howdah.spi.RetryPolicy
import kotlin.time.Duration
import kotlin.time.toJavaDuration

/**
 * Makes a kind whose payload has the type [T], which may be generic: `kind<List<Long>>("invoices")`.
 *
 * @param name 1 to 200 characters; must not change when classes are renamed
 * @param queue of its jobs; null: `default`
 * @param priority of its jobs, -100 to 100; lower runs first
 * @param retries of its handlers; null: the default of the node
 * @param timeout of one attempt of its handlers; null: the default of the node
 * @throws IllegalArgumentException if one of them is refused
 */
public inline fun <reified T : Any> kind(
    name: String,
    queue: String? = null,
    priority: Int = 0,
    retries: RetryPolicy? = null,
    timeout: Duration? = null,
): Kind<T> = configured(kindOf(name, object : TypeToken<T>() {}), queue, priority, retries, timeout)

@PublishedApi
@Suppress("UNCHECKED_CAST") // the type is that of T
internal fun <T : Any> kindOf(name: String, type: TypeToken<T>): Kind<T> {
    val plain = type.plain()
    return (if (plain == null) Kind.of(name, type.reference()) else Kind.of(name, plain)) as Kind<T>
}

@PublishedApi
internal fun <T : Any> configured(
    plain: Kind<T>,
    queue: String?,
    priority: Int,
    retries: RetryPolicy?,
    timeout: Duration?,
): Kind<T> {
    var kind = plain.priority(priority)
    if (queue != null) kind = kind.queue(queue)
    if (retries != null) kind = kind.retries(retries)
    if (timeout != null) kind = kind.timeout(timeout.toJavaDuration())
    return kind
}

/** Makes a job of this kind: `jobs.add(welcome.job(Welcome("ann@example.com")).delayedBy(1.hours))`. */
public fun <T : Any> Kind<T>.job(payload: T): NewJob<T> = NewJob.of(this, payload)
