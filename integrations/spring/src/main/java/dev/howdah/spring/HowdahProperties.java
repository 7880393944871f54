package dev.howdah.spring;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.logging.LogLevel;

/**
 * The properties {@code howdah.*}. An unknown one is refused at the start.
 *
 * @param enabled Whether Howdah is used at all.
 * @param schema Schema of the tables of jobs, processes and sweeps.
 * @param nodeName Name of the node in tables and logs. Defaults to the process id.
 * @param shutdownTimeout How long the node waits for running handlers and steps when the application stops. Keep it below spring.lifecycle.timeout-per-shutdown-phase.
 * @param install Who creates the tables and brings them up to date.
 * @param json Which mapper converts payloads, where there is no bean PayloadCodec.
 * @param sessions Connections that a node keeps.
 * @param jobs Jobs.
 * @param processes Processes.
 * @param tasks Tasks.
 * @param console The console for browsers.
 * @param health Health of the actuator.
 */
@ConfigurationProperties(prefix = "howdah", ignoreUnknownFields = false)
public record HowdahProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("howdah") String schema,
        @Nullable String nodeName,
        @DefaultValue("25s") Duration shutdownTimeout,
        @DefaultValue("auto") Install install,
        @DefaultValue("own") Json json,
        @DefaultValue Sessions sessions,
        @DefaultValue JobSettings jobs,
        @DefaultValue ProcessSettings processes,
        @DefaultValue TaskSettings tasks,
        @DefaultValue ConsoleSettings console,
        @DefaultValue HealthSettings health) {

    /** Who creates the tables and brings them up to date. */
    public enum Install {
        /** Flyway or Liquibase, if the application has one of them; otherwise Howdah, when the application starts. */
        AUTO,
        /** Howdah, when the application starts. */
        START,
        /** Others: the application does not start while the tables are missing or too old. */
        NEVER
    }

    /** Which mapper converts payloads, results and steps. */
    public enum Json {
        /** One of the library, which no setting of the application changes. */
        OWN,
        /** The ObjectMapper or JsonMapper of the application: what changes it changes what stored jobs mean. */
        SPRING
    }

    /** Where connections come from that a node keeps. */
    public enum SessionSource {
        /** The driver, with the address, user and password of the pool if that is HikariCP; otherwise the pool. */
        DRIVER,
        /** The pool. */
        POOL
    }

    /**
     * Connections that a node keeps.
     *
     * @param source Where they come from.
     * @param url JDBC URL that reaches PostgreSQL itself, where the pool goes through PgBouncer.
     * @param username User for that URL. Defaults to the user of the pool.
     * @param password Password for that URL. Defaults to the password of the pool.
     */
    public record Sessions(
            @DefaultValue("driver") SessionSource source,
            @Nullable String url,
            @Nullable String username,
            @Nullable String password) {
        /** Without the password. */
        @Override
        public String toString() {
            return "Sessions[source=" + source + ", url=" + url + ", username=" + username + "]";
        }
    }

    /**
     * Jobs.
     *
     * @param enabled Whether this application runs jobs. It adds them in any case.
     * @param concurrency Maximum number of jobs that run at the same time on this node, 1 to 10,000.
     * @param queues Queues to claim from, beside those that handlers name.
     * @param attempts Maximum number of attempts of handlers that set none, the first included.
     * @param timeout Maximum run time of an attempt of handlers that set none. Zero is no limit.
     * @param virtualThreads Whether handlers run in virtual threads, from Java 21 on. Defaults to spring.threads.virtual.enabled.
     * @param keepDone How long completed jobs are kept, in whole days.
     * @param keepFailed How long failed jobs are kept, in whole days.
     * @param logLevel Lines of this level and above that a handler logs in its thread go to the log of its job, too, with Logback: INFO, for example. Without it none do.
     */
    public record JobSettings(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("10") int concurrency,
            @DefaultValue List<String> queues,
            @DefaultValue("25") int attempts,
            @DefaultValue("0s") Duration timeout,
            @Nullable Boolean virtualThreads,
            @DefaultValue("7d") Duration keepDone,
            @DefaultValue("30d") Duration keepFailed,
            @Nullable LogLevel logLevel) {}

    /**
     * Processes.
     *
     * @param enabled Whether this application runs the processes of its beans of the type Namespace.
     */
    public record ProcessSettings(@DefaultValue("true") boolean enabled) {}

    /**
     * Tasks.
     *
     * @param schema Schema of the table of tasks.
     * @param table Name of the table of tasks.
     */
    public record TaskSettings(
            @DefaultValue("public") String schema,
            @DefaultValue("task") String table) {}

    /**
     * The console for browsers, with the dependency howdah-console.
     *
     * @param port Port on the loopback address; 0 takes any free one. Without it there is no console.
     * @param login Whether a login is needed, by a link that is logged when the application starts.
     * @param label Word that tells this environment from others, such as production.
     * @param listen Address to listen on. Any but a loopback address needs a login, hosts and trusted proxies.
     * @param hosts Host names by which browsers ask for the console, beside those of the loopback address.
     * @param basePath Path before all others behind a proxy, such as /howdah.
     * @param trustedProxies Addresses of proxies whose X-Forwarded headers are believed.
     * @param openId OpenID Connect provider by which people log in: issuer, client-id, client-secret, scope, name-claim, role-claim, and role.VALUE with the role of those whose claim has that value.
     */
    public record ConsoleSettings(
            @Nullable Integer port,
            @DefaultValue("false") boolean login,
            @Nullable String label,
            @DefaultValue("127.0.0.1") String listen,
            @DefaultValue List<String> hosts,
            @DefaultValue("") String basePath,
            @DefaultValue List<String> trustedProxies,
            @DefaultValue Map<String, String> openId) {}

    /**
     * Health of the actuator.
     *
     * @param maxLag For how long a job may be due before the health is down. Without it a backlog is shown, and changes nothing.
     */
    public record HealthSettings(@Nullable Duration maxLag) {}
}
