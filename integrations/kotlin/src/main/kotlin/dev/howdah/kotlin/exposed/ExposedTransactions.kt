package dev.howdah.kotlin.exposed

import dev.howdah.spi.TransactionBridge
import java.sql.Connection
import org.jetbrains.exposed.v1.core.Transaction
import org.jetbrains.exposed.v1.core.statements.StatementInterceptor
import org.jetbrains.exposed.v1.jdbc.Database
import org.jetbrains.exposed.v1.jdbc.JdbcTransaction
import org.jetbrains.exposed.v1.jdbc.transactions.TransactionManager
import org.jetbrains.exposed.v1.jdbc.transactions.transaction

/**
 * Jobs join the transactions of Exposed: `Jobs.on(dataSource).transactions(ExposedTransactions(database))`. A job that is added in `transaction { }` exists if, and
 * only if, that commits; a handler in the job's own transaction runs in one of Exposed.
 *
 * @param database that of the data source of the jobs; transactions of others are not joined
 */
public class ExposedTransactions(private val database: Database) : TransactionBridge {
    override fun isActive(): Boolean = currentOrNull() != null

    override fun <T : Any?> join(work: TransactionBridge.Work<T>): T = work.run(jdbc(current()))

    override fun afterCommit(work: Runnable) {
        current().registerInterceptor(
            object : StatementInterceptor {
                override fun afterCommit(transaction: Transaction) = work.run()
            }
        )
    }

    override fun <T : Any?> begin(work: TransactionBridge.Work<T>): T =
        transaction(database) {
            // Howdah itself tries again, and knows what may be done twice.
            maxAttempts = 1
            work.run(jdbc(this))
        }

    private fun currentOrNull(): JdbcTransaction? = TransactionManager.currentOrNull()?.takeIf { it.db == database }

    private fun current(): JdbcTransaction = checkNotNull(currentOrNull()) { "this thread is in no transaction of ${database.url}" }

    private fun jdbc(transaction: JdbcTransaction): Connection = transaction.connection.connection as Connection
}
