package dev.howdah.examples.kotlin

import dev.howdah.process.Action
import dev.howdah.process.Intent
import dev.howdah.process.Namespace
import dev.howdah.process.Processes
import dev.howdah.process.TaskType
import java.time.Duration
import javax.sql.DataSource

val order: Namespace = Namespace.of("order") { task, _ ->
    when (task.type()) {
        TaskType.INIT -> Intent.none().event("placed").then(Action.timeout(Duration.ofDays(1)))
        TaskType.CALL -> Intent.none().event("paid").response("thank you").then(Action.suspend())
        TaskType.TIMEOUT -> Intent.none().event("expired").then(Action.remove(Duration.ofDays(30)))
        else -> Intent.none()
    }
}

fun pay(source: DataSource): String? =
    Processes.on(source).namespace(order).start().use { processes ->
        processes.init("order", "order-42", null)
        processes.call("order", "order-42", "pay").`as`(String::class.java)
    }
