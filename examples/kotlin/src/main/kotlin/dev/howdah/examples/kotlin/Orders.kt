package dev.howdah.examples.kotlin

import dev.howdah.job.Jobs
import dev.howdah.kotlin.exposed.ExposedTransactions
import dev.howdah.kotlin.kind
import javax.sql.DataSource
import org.jetbrains.exposed.v1.core.Table
import org.jetbrains.exposed.v1.jdbc.Database
import org.jetbrains.exposed.v1.jdbc.insert
import org.jetbrains.exposed.v1.jdbc.transactions.transaction

object Orders : Table("orders") {
    val customer = text("customer")
}

val confirm = kind<String>("confirm")

class OrderDesk(source: DataSource) {
    private val database = Database.connect(source)
    private val jobs = Jobs.on(source).transactions(ExposedTransactions(database)).start()

    /** The order and its job are committed together, or neither is. */
    fun place(name: String) {
        transaction(database) {
            Orders.insert { it[customer] = name }
            jobs.add(confirm, name)
        }
    }
}
