package dev.howdah.examples.kotlin

import dev.howdah.job.Jobs
import dev.howdah.kotlin.handlers
import dev.howdah.kotlin.kind
import dev.howdah.kotlin.suspending
import javax.sql.DataSource
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.delay
import kotlinx.coroutines.runBlocking
import org.postgresql.ds.PGSimpleDataSource

data class Welcome(val email: String, val language: String = "en")

val welcome = kind<Welcome>("welcome", queue = "mails")

fun welcome(source: DataSource): String? =
    Jobs.on(source)
        .handlers {
            handle(welcome, timeout = 30.seconds) { payload ->
                val receipt = step<String>("mail") {
                    delay(1.milliseconds) // instead of the call of a mail server
                    "mailed ${payload.email} (${payload.language})"
                }
                result("$receipt, attempt $attempt")
            }
        }
        .start()
        .use { jobs ->
            runBlocking {
                val id = jobs.suspending.add(welcome, Welcome("ann@example.com"))
                jobs.suspending.result<String>(id)
            }
        }

fun main() {
    println(welcome(PGSimpleDataSource().apply { setURL("jdbc:postgresql://db.example/shop?user=postgres") }))
}
