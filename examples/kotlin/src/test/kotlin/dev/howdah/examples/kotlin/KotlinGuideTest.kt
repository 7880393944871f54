package dev.howdah.examples.kotlin

import dev.howdah.fixtures.PostgresTest
import dev.howdah.fixtures.TestDatabase
import java.io.ByteArrayOutputStream
import java.io.PrintStream
import java.nio.file.Files
import java.nio.file.Path
import javax.sql.DataSource
import org.assertj.core.api.Assertions.assertThat
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
        val printed = ByteArrayOutputStream()
        val before = System.out
        System.setOut(PrintStream(printed, true, Charsets.UTF_8))
        try {
            welcome(source())
        } finally {
            System.setOut(before)
        }
        assertThat(printed.toString(Charsets.UTF_8)).contains("welcome, ann@example.com (en), attempt 1")
    }

    @Test
    fun process_answersItsCall() {
        assertThat(pay(source())).isEqualTo("thank you")
    }

    @Test
    fun guide_hasThisCode() {
        val guide = Files.readString(Path.of("../../docs/guide/kotlin.md"))
        for (file in listOf("Welcome.kt", "Order.kt")) {
            val code = Files.readString(Path.of("src/main/kotlin/dev/howdah/examples/kotlin/$file"))
            assertThat(guide).contains("```kotlin\n" + code.substringAfter("\n\n") + "```")
        }
    }
}
