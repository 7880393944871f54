package dev.howdah.quarkus.runtime;

import io.quarkus.runtime.annotations.ConfigDocMapKey;
import io.quarkus.runtime.annotations.ConfigPhase;
import io.quarkus.runtime.annotations.ConfigRoot;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.smallrye.config.WithDefaults;
import io.smallrye.config.WithParentName;
import io.smallrye.config.WithUnnamedKey;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The properties {@code quarkus.howdah.*}, and {@code quarkus.howdah."name".*} for a data source that has a name. */
@ConfigMapping(prefix = "quarkus.howdah")
@ConfigRoot(phase = ConfigPhase.RUN_TIME)
public interface HowdahConfig {
    /** By data source. */
    @WithParentName
    @WithUnnamedKey("<default>")
    @WithDefaults
    @ConfigDocMapKey("datasource-name")
    Map<String, Of> dataSources();

    /** Who creates the tables and brings them up to date. */
    enum Install {
        /** The migrations of the application, if it has Flyway or Liquibase; otherwise Howdah, when the application starts. */
        AUTO,
        /** Howdah, when the application starts. */
        START,
        /** Others: the application does not start while the tables are missing or too old. */
        NEVER
    }

    /** Of one data source. */
    interface Of {
        /** Schema of the tables of jobs, processes and sweeps. */
        @WithDefault("howdah")
        String schema();

        /** Name of the node in tables and logs. Defaults to the process id. */
        Optional<String> nodeName();

        /** How long the node waits for running handlers and steps when the application stops. */
        @WithDefault("25s")
        Duration shutdownTimeout();

        /** Who creates the tables and brings them up to date. */
        @WithDefault("auto")
        Install install();

        /** Connections that a node keeps. */
        Sessions sessions();

        /** Jobs. */
        JobSettings jobs();

        /** Processes. */
        ProcessSettings processes();

        /** Tasks. */
        TaskSettings tasks();

        /** Health. */
        HealthSettings health();
    }

    /** Connections that a node keeps: of the driver, with the address and the login of the pool, unless they are set here. */
    interface Sessions {
        /** JDBC URL that reaches PostgreSQL itself, where the pool goes through PgBouncer. */
        Optional<String> url();

        /** User for that URL. Defaults to the user of the pool. */
        Optional<String> username();

        /** Password for that URL. Defaults to the password of the pool. */
        Optional<String> password();
    }

    /** Jobs. */
    interface JobSettings {
        /** Whether this application runs jobs. It adds them in any case. */
        @WithDefault("true")
        boolean enabled();

        /** Maximum number of jobs that run at the same time on this node, 1 to 10,000. */
        @WithDefault("10")
        int concurrency();

        /** Queues to claim from, beside those that handlers name. */
        Optional<List<String>> queues();

        /** Maximum number of attempts of handlers that set none, the first included. */
        @WithDefault("25")
        int attempts();

        /** Maximum run time of an attempt of handlers that set none. Zero is no limit. */
        @WithDefault("0s")
        Duration timeout();

        /** Whether handlers run in virtual threads, from Java 21 on. */
        @WithDefault("false")
        boolean virtualThreads();

        /** How long completed jobs are kept, in whole days. */
        @WithDefault("7d")
        Duration keepDone();

        /** How long failed jobs are kept, in whole days. */
        @WithDefault("30d")
        Duration keepFailed();
    }

    /** Processes. */
    interface ProcessSettings {
        /** Whether this application runs the processes of its beans of the type Namespace. */
        @WithDefault("true")
        boolean enabled();
    }

    /** Tasks. */
    interface TaskSettings {
        /** Schema of the table of tasks. */
        @WithDefault("public")
        String schema();

        /** Name of the table of tasks. */
        @WithDefault("task")
        String table();
    }

    /** Health. */
    interface HealthSettings {
        /** For how long a job may be due before the application is not ready. Without it a backlog is shown, and changes nothing. */
        Optional<Duration> maxLag();

        /** For how long the node may be without its session before the application is not live, and is restarted. Without it the application stays live. */
        Optional<Duration> maxLost();
    }
}
