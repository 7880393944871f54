package dev.howdah.kotlin

import dev.howdah.fixtures.PostgresTest
import dev.howdah.fixtures.TestDatabase
import dev.howdah.job.Jobs
import dev.howdah.kotlin.serialization.KotlinxPayloadCodec
import dev.howdah.spi.RetryPolicy
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.TimeUnit
import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds
import kotlinx.serialization.Serializable
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.Test

/** Payloads, steps and results by kotlinx.serialization. */
@PostgresTest
class KotlinxPayloadCodecTest(private val database: TestDatabase) {
    @Serializable
    sealed interface Event {
        @Serializable data class Paid(val cents: Long, val within: Duration) : Event

        @Serializable data object Expired : Event
    }

    @Serializable data class Page<T>(val rows: List<T>, val next: Int? = null)

    @Serializable @JvmInline value class Email(val text: String)

    private class Unknown

    @Test
    fun sealedGenericAndValueClasses_comeBackAsTheyWere() {
        val event = kind<Event>("event")
        val page = kind<Page<Event>>("page")
        val mail = kind<List<Email>>("mail")
        val seen = ConcurrentLinkedQueue<Any>()
        val paid = Event.Paid(700, 3.seconds)
        Jobs.on(database.source())
            .codec(KotlinxPayloadCodec())
            .defaultRetries(RetryPolicy.after(java.time.Duration.ZERO))
            .handlers {
                handle(event) { payload ->
                    val recorded = step<Event>("again") { payload }
                    seen += recorded
                    if (attempt == 1) error("once more")
                }
                handle(page) { payload ->
                    seen += payload
                    result(payload.rows.size)
                }
                handle(mail) { payload -> seen.add(payload) }
            }
            .start()
            .use { jobs ->
                for (id in listOf(
                    jobs.add(event, paid),
                    jobs.add(event, Event.Expired),
                    jobs.add(page, Page(listOf(paid, Event.Expired), 2)),
                    jobs.add(mail, listOf(Email("ann@example.com"))),
                )) jobs.awaitAsync(id).get(1, TimeUnit.MINUTES)
                assertThat(seen)
                    .containsExactlyInAnyOrder(
                        paid,
                        paid,
                        Event.Expired,
                        Event.Expired,
                        Page(listOf(paid, Event.Expired), 2),
                        listOf(Email("ann@example.com")),
                    )
                assertThat(database.value("SELECT payload ->> 'type' FROM howdah.jobs WHERE kind = 'event' ORDER BY id LIMIT 1"))
                    .endsWith("Event.Paid")
            }
    }

    @Test
    fun classWithoutASerializer_isRefused_withWhatToDo() {
        val codec = KotlinxPayloadCodec()
        assertThatThrownBy { codec.encode(Unknown()) }
            .isInstanceOf(IllegalArgumentException::class.java)
            .hasMessageContaining("mark it with @Serializable")
        assertThatThrownBy { codec.decode("{\"rows\": 1}", Email::class.java) }
            .isInstanceOf(IllegalArgumentException::class.java)
            .hasMessageContaining("its payload is no")
    }
}
