package dev.howdah.examples.kotlin

import dev.howdah.fixtures.PostgresTest
import dev.howdah.fixtures.TestDatabase
import dev.howdah.job.Jobs
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.postgresql.ds.PGSimpleDataSource

/** A purchase that lasts for days. */
@PostgresTest
class PurchaseTest(private val database: TestDatabase) {
    @Test
    fun purchase_isPackedAndReported() {
        val source = PGSimpleDataSource().apply {
            portNumbers = intArrayOf(database.server().port())
            databaseName = database.name()
            user = "postgres"
        }
        database.execute("CREATE TABLE ledger (purchase integer NOT NULL, line text NOT NULL)")
        purchases(Jobs.on(source)).manual().use { manual ->
            val id = manual.jobs().add(purchase, 17)
            manual.runDue()
            manual.jobs().signal(id, "approval", true)
            // Three days pass.
            manual.jobs().admin().runNow(id)
            manual.runDue()
        }
        assertThat(database.value("SELECT string_agg(line, ', ' ORDER BY line) FROM ledger"))
            .isEqualTo(
                "charge, parcel 1, parcel 10, parcel 2, parcel 3, parcel 4, parcel 5, parcel 6, parcel 7, " +
                    "parcel 8, parcel 9, report 5500 g"
            )
    }
}
