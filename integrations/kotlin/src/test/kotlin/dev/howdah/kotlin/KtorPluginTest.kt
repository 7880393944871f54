package dev.howdah.kotlin

import dev.howdah.fixtures.PostgresTest
import dev.howdah.fixtures.TestDatabase
import dev.howdah.kotlin.ktor.Howdah
import dev.howdah.kotlin.ktor.howdahHealth
import dev.howdah.kotlin.ktor.jobs
import io.ktor.client.request.get
import io.ktor.client.request.post
import io.ktor.client.statement.bodyAsText
import io.ktor.http.HttpStatusCode
import io.ktor.server.application.install
import io.ktor.server.response.respondText
import io.ktor.server.routing.post
import io.ktor.server.routing.routing
import io.ktor.server.testing.testApplication
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.Tag
import org.junit.jupiter.api.Test

/** An application of Ktor that adds jobs and runs them. */
@PostgresTest
@Tag("long")
class KtorPluginTest(private val database: TestDatabase) {
    private val welcome = kind<String>("welcome")

    @Test
    fun application_addsJobs_runsThem_saysItsHealth_andStopsItsNode() {
        var node: dev.howdah.job.Jobs? = null
        testApplication {
            application {
                install(Howdah) {
                    dataSource = database.source()
                    handlers { handle(welcome) { name -> result("welcome, $name") } }
                    node { nodeName("ktor").concurrency(2) }
                }
                node = jobs
                routing {
                    howdahHealth("/health/jobs")
                    post("/customers/{name}") {
                        val id = call.application.jobs.suspending.add(welcome, call.parameters["name"]!!)
                        call.respondText(call.application.jobs.suspending.result<String>(id)!!)
                    }
                }
            }
            assertThat(client.post("/customers/ann").bodyAsText()).isEqualTo("welcome, ann")
            val health = client.get("/health/jobs")
            assertThat(health.status).isEqualTo(HttpStatusCode.OK)
            assertThat(health.bodyAsText()).isEqualTo("UP")
            assertThat(database.value("SELECT name FROM howdah_internal.node")).isEqualTo("ktor")
        }
        assertThat(node!!.node()).isZero()
    }

    @Test
    fun pluginWithoutADataSource_isRefused() {
        assertThatThrownBy { testApplication { application { install(Howdah) {} }; startApplication() } }
            .hasMessageContaining("install(Howdah) needs a data source")
    }
}
