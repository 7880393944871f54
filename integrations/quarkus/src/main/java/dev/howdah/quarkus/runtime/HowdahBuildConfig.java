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

    /** Something that there is where the application has the extension for it. */
    interface Switch {
        /** Whether there is one, where the application has the extension for it. */
        @WithDefault("true")
        boolean enabled();
    }
}
