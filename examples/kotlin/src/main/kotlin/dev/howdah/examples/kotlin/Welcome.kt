package dev.howdah.examples.kotlin

import dev.howdah.job.Jobs
import dev.howdah.job.Kind
import java.util.concurrent.CountDownLatch
import javax.sql.DataSource
import org.postgresql.ds.PGSimpleDataSource

data class Welcome(val email: String, val language: String = "en")

val welcome: Kind<Welcome> = Kind.of("welcome", Welcome::class.java)

fun welcome(source: DataSource) {
    val done = CountDownLatch(1)
    Jobs.on(source)
        .handle(welcome) { payload, job ->
            println("welcome, ${payload.email} (${payload.language}), attempt ${job.attempt()}")
            done.countDown()
        }
        .start()
        .use { jobs ->
            jobs.add(welcome, Welcome("ann@example.com"))
            done.await()
        }
}

fun main() {
    welcome(PGSimpleDataSource().apply { setURL("jdbc:postgresql://db.example/shop?user=postgres") })
}
