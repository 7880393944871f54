package dev.howdah.kotlin

import dev.howdah.fixtures.PostgresTest
import dev.howdah.fixtures.TestDatabase
import dev.howdah.job.Jobs
import dev.howdah.kotlin.exposed.ExposedTransactions
import dev.howdah.spi.RetryPolicy
import kotlin.time.Duration.Companion.minutes
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.jetbrains.exposed.v1.core.Table
import org.jetbrains.exposed.v1.jdbc.Database
import org.jetbrains.exposed.v1.jdbc.SchemaUtils
import org.jetbrains.exposed.v1.jdbc.insert
import org.jetbrains.exposed.v1.jdbc.selectAll
import org.jetbrains.exposed.v1.jdbc.transactions.suspendTransaction
import org.jetbrains.exposed.v1.jdbc.transactions.transaction
import org.junit.jupiter.api.Tag
import org.junit.jupiter.api.Test

/** Jobs join the transactions of Exposed, and run in them. */
@PostgresTest
@Tag("long")
class ExposedTransactionsTest(private val database: TestDatabase) {
    private object Orders : Table("orders") {
        val customer = text("customer")
    }

    private val confirm = kind<String>("confirm")
    private val source = database.source()
    private val exposed = Database.connect(source)
    private val adding = Jobs.on(source).transactions(ExposedTransactions(exposed)).start()

    private fun jobs() = database.value("SELECT count(*) FROM howdah.jobs")

    private fun orders() = transaction(exposed) { Orders.selectAll().count() }

    @Test
    fun transaction_commitsItsJobs_orRollsThemBack() {
        transaction(exposed) {
            SchemaUtils.create(Orders)
            Orders.insert { it[customer] = "ann" }
            adding.add(confirm, "ann")
        }
        assertThatThrownBy {
                transaction(exposed) {
                    Orders.insert { it[customer] = "bob" }
                    adding.add(confirm, "bob")
                    error("refused")
                }
            }
            .hasMessageContaining("refused")
        runBlocking {
            suspendTransaction(exposed) {
                Orders.insert { it[customer] = "eve" }
                adding.suspending.add(confirm, "eve")
                rollback()
            }
        }
        adding.add(confirm, "of its own")
        assertThat(orders()).isEqualTo(1)
        assertThat(jobs()).isEqualTo("2")
    }

    @Test
    fun handlerInTheTransactionOfItsJob_writesThroughExposed_exactlyOnce() {
        transaction(exposed) { SchemaUtils.create(Orders) }
        Jobs.on(source)
            .transactions(ExposedTransactions(exposed))
            .defaultRetries(RetryPolicy.after(java.time.Duration.ZERO))
            .handlers {
                handleInTransaction(confirm) { name, job, _ ->
                    Orders.insert { it[customer] = name }
                    check(job.attempt() > 1) { "once more" }
                }
            }
            .start()
            .use { jobs -> jobs.await(jobs.add(confirm, "ann"), 1.minutes) }
        assertThat(orders()).isEqualTo(1)
    }

    @Test
    fun transactionOfAnotherDatabase_isNotJoined() {
        val other = Database.connect(database.source())
        assertThatThrownBy {
                transaction(other) {
                    adding.add(confirm, "ann")
                    error("refused")
                }
            }
            .hasMessageContaining("refused")
        assertThat(jobs()).isEqualTo("1")
    }
}
