package dev.howdah.kotlin

import dev.howdah.fixtures.TestDatabase
import javax.sql.DataSource
import org.postgresql.ds.PGSimpleDataSource

/** Of the sessions of the test's database. */
internal fun TestDatabase.source(): DataSource =
    PGSimpleDataSource().also {
        it.portNumbers = intArrayOf(server().port())
        it.databaseName = name()
        it.user = "postgres"
    }
