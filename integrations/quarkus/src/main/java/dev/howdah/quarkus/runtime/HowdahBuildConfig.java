package dev.howdah.quarkus.runtime;

import io.quarkus.runtime.annotations.ConfigPhase;
import io.quarkus.runtime.annotations.ConfigRoot;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;

/** The properties {@code quarkus.howdah.*} that are fixed when the application is built. */
@ConfigMapping(prefix = "quarkus.howdah")
@ConfigRoot(phase = ConfigPhase.BUILD_TIME)
public interface HowdahBuildConfig {
    /** Health. */
    Switch health();

    /** Metrics. */
    Switch metrics();

    /** A PostgreSQL in dev mode and in tests. */
    DevServices devservices();

    /** A PostgreSQL in dev mode and in tests, without a container. */
    interface DevServices {
        /**
         * Whether the default data source has one, if it has no address. Quarkus' own, which needs a container runtime, has to be switched off:
         * quarkus.datasource.devservices.enabled=false.
         */
        @WithDefault("false")
        boolean enabled();
    }

    /** Something that there is unless it is switched off. */
    interface Switch {
        /** Whether there is one. */
        @WithDefault("true")
        boolean enabled();
    }
}
