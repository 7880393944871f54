package dev.howdah.examples.kotlin

import dev.howdah.job.Jobs
import dev.howdah.job.JobsBuilder
import dev.howdah.kotlin.handlers
import dev.howdah.kotlin.kind
import dev.howdah.kotlin.serialization.KotlinxPayloadCodec
import javax.sql.DataSource
import kotlinx.serialization.Serializable

@Serializable
sealed interface PaymentEvent {
    @Serializable data class Paid(val order: Long, val cents: Long) : PaymentEvent

    @Serializable data class Refused(val order: Long, val reason: String) : PaymentEvent
}

val paymentEvent = kind<PaymentEvent>("payment event")

fun payments(source: DataSource): JobsBuilder =
    Jobs.on(source).codec(KotlinxPayloadCodec()).handlers {
        handle(paymentEvent) { event ->
            when (event) {
                is PaymentEvent.Paid -> result("order ${event.order} is paid")
                is PaymentEvent.Refused -> result("order ${event.order}: ${event.reason}")
            }
        }
    }
