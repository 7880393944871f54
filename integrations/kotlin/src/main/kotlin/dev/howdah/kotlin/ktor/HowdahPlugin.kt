package dev.howdah.kotlin.ktor

import dev.howdah.job.Jobs
import dev.howdah.job.JobsBuilder
import dev.howdah.kotlin.Handlers
import dev.howdah.kotlin.handlers
import io.ktor.http.HttpStatusCode
import io.ktor.server.application.Application
import io.ktor.server.application.ApplicationPlugin
import io.ktor.server.application.ApplicationStarted
import io.ktor.server.application.ApplicationStopping
import io.ktor.server.application.createApplicationPlugin
import io.ktor.server.application.hooks.MonitoringEvent
import io.ktor.server.response.respondText
import io.ktor.server.routing.Route
import io.ktor.server.routing.get
import io.ktor.util.AttributeKey
import javax.sql.DataSource
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.withContext

private val JOBS = AttributeKey<Jobs>("dev.howdah.jobs")

/** What [Howdah] is installed with. */
public class HowdahConfiguration internal constructor() {
    internal var builder: JobsBuilder? = null
    internal val definitions = mutableListOf<JobsBuilder.() -> Unit>()

    /** The data source of the database with the tables of jobs. */
    public var dataSource: DataSource? = null

    /** Registers handlers that suspend. */
    public fun handlers(define: Handlers.() -> Unit) {
        definitions += { handlers(define) }
    }

    /** Sets whatever else a node has: `node { concurrency(20) }`. */
    public fun node(define: JobsBuilder.() -> Unit) {
        definitions += define
    }
}

/**
 * Runs jobs while the application runs: the node starts with it, and when it stops, claims nothing more and waits for running handlers.
 *
 * ```
 * install(Howdah) {
 *     dataSource = pool
 *     handlers { handle(welcome) { payload -> mail(payload.email) } }
 * }
 * ```
 */
public val Howdah: ApplicationPlugin<HowdahConfiguration> =
    createApplicationPlugin("Howdah", ::HowdahConfiguration) {
        val source = checkNotNull(pluginConfig.dataSource) { "install(Howdah) needs a data source: dataSource = ..." }
        val builder = Jobs.on(source)
        pluginConfig.definitions.forEach { builder.it() }
        val jobs = builder.start()
        application.attributes.put(JOBS, jobs)
        on(MonitoringEvent(ApplicationStopping)) { jobs.close() }
    }

/** The jobs of the application's database, once [Howdah] is installed. */
public val Application.jobs: Jobs
    get() = attributes[JOBS]

/** Answers 200 while the node has its session, and 503 with the reason while it has none, at this path. */
public fun Route.howdahHealth(path: String) {
    get(path) {
        val obstacle = withContext(Dispatchers.IO) { call.application.jobs.obstacle() }
        call.respondText(obstacle ?: "UP", status = if (obstacle == null) HttpStatusCode.OK else HttpStatusCode.ServiceUnavailable)
    }
}
