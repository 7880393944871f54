package dev.howdah.examples.kotlin

import dev.howdah.kotlin.ktor.Howdah
import dev.howdah.kotlin.ktor.howdahHealth
import dev.howdah.kotlin.ktor.jobs
import dev.howdah.kotlin.suspending
import io.ktor.server.application.Application
import io.ktor.server.application.install
import io.ktor.server.response.respondText
import io.ktor.server.routing.post
import io.ktor.server.routing.routing
import javax.sql.DataSource

fun Application.shop(source: DataSource) {
    install(Howdah) {
        dataSource = source
        handlers { handle(welcome) { payload -> log("welcome, ${payload.email}") } }
        node { concurrency(20) }
    }
    routing {
        howdahHealth("/health/jobs")
        post("/customers/{email}") {
            val id = call.application.jobs.suspending.add(welcome, Welcome(call.parameters["email"].orEmpty()))
            call.respondText("job $id\n")
        }
    }
}
