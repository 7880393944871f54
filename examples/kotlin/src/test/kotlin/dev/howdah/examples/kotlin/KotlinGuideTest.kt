package dev.howdah.examples.kotlin

import dev.howdah.fixtures.PostgresTest
import dev.howdah.fixtures.TestDatabase
import dev.howdah.kotlin.await
import io.ktor.client.request.get
import io.ktor.client.request.post
import io.ktor.client.statement.bodyAsText
import io.ktor.server.testing.testApplication
import java.nio.file.Files
import java.nio.file.Path
import javax.sql.DataSource
import kotlin.time.Duration.Companion.minutes
import org.assertj.core.api.Assertions.assertThat
import org.jetbrains.exposed.v1.jdbc.Database
import org.jetbrains.exposed.v1.jdbc.SchemaUtils
import org.jetbrains.exposed.v1.jdbc.transactions.transaction
import org.junit.jupiter.api.Test
import org.postgresql.ds.PGSimpleDataSource

/** The examples of the guide run, and are those of the guide. */
@PostgresTest
class KotlinGuideTest(private val database: TestDatabase) {
    private fun source(): DataSource =
        PGSimpleDataSource().apply {
            portNumbers = intArrayOf(database.server().port())
            databaseName = database.name()
            user = "postgres"
        }

    @Test
    fun job_withADefault_isWelcomed() {
        assertThat(welcome(source())).isEqualTo("mailed ann@example.com (en), attempt 1")
    }

    @Test
    fun payloadsOfASealedType_areTold() {
        payments(source()).start().use { jobs ->
            val paid = jobs.await(jobs.add(paymentEvent, PaymentEvent.Paid(7, 700)), 1.minutes)
            val refused = jobs.await(jobs.add(paymentEvent, PaymentEvent.Refused(8, "no money")), 1.minutes)
            assertThat(listOf(paid, refused).map { it.result() })
                .containsExactly("\"order 7 is paid\"", "\"order 8: no money\"")
        }
    }

    @Test
    fun order_isPlacedWithItsJob() {
        transaction(Database.connect(source())) { SchemaUtils.create(Orders) }
        OrderDesk(source()).place("ann")
        assertThat(database.value("SELECT count(*) FROM orders, howdah.jobs WHERE kind = 'confirm'")).isEqualTo("1")
    }

    @Test
    fun application_ofKtor_addsJobs() {
        testApplication {
            application { shop(source()) }
            assertThat(client.post("/customers/ann@example.com").bodyAsText()).startsWith("job ")
            assertThat(client.get("/health/jobs").bodyAsText()).isEqualTo("UP")
        }
    }

    @Test
    fun process_answersItsCall() {
        assertThat(pay(source())).isEqualTo("thank you")
    }

    @Test
    fun guide_hasThisCode() {
        val guide = Files.readString(Path.of("../../docs/guide/kotlin.md"))
        for (file in listOf("Welcome.kt", "Payments.kt", "Orders.kt", "Server.kt", "Order.kt")) {
            val code = Files.readString(Path.of("src/main/kotlin/dev/howdah/examples/kotlin/$file"))
            assertThat(guide).contains("```kotlin\n" + code.substringAfter("\n\n") + "```")
        }
    }
}
