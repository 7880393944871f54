package dev.howdah.examples.kotlin

import dev.howdah.job.Job
import dev.howdah.job.JobsBuilder
import dev.howdah.job.Kind
import dev.howdah.job.NewJob
import java.time.Duration

data class Parcel(val purchase: Int, val number: Int)

val purchase: Kind<Int> = Kind.of("purchase", Int::class.javaObjectType)
private val parcel: Kind<Parcel> = Kind.of("parcel", Parcel::class.java)

/** Gives a program the handlers of purchases and of their parcels. */
fun purchases(program: JobsBuilder): JobsBuilder =
    program
        .handle(purchase) { number, job -> work(number, job) }
        .handle(parcel) { payload, job ->
            write(job, payload.purchase, "parcel ${payload.number}")
            job.result(100 * payload.number)
        }

private fun work(number: Int, job: Job) {
    write(job, number, "charge")
    job.sleep("cool down", Duration.ofDays(3))
    val approval = job.await("approval", Boolean::class.javaObjectType, Duration.ofDays(7))
    if (approval.map { it.payload() }.orElse(false) != true) {
        write(job, number, "refund")
        return
    }
    val parcels = job.children("parcel", (1..10).map { NewJob.of(parcel, Parcel(number, it)) })
    job.awaitChildren(parcels)
    val grams = parcels.sumOf { job.awaitChild(it, Int::class.javaObjectType) ?: 0 }
    write(job, number, "report $grams g")
}

/** The line and the record of the step commit together. */
private fun write(job: Job, number: Int, line: String) {
    job.stepInTransaction(line, Void::class.java) { connection ->
        connection.prepareStatement("INSERT INTO ledger (purchase, line) VALUES (?, ?)").use {
            it.setInt(1, number)
            it.setString(2, line)
            it.executeUpdate()
        }
        null
    }
}
