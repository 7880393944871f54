package dev.howdah.quarkus.runtime;

import dev.howdah.beans.internal.node.InstallationLiveness;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Liveness;

/** Whether a restart would help, see {@link InstallationLiveness}. */
@Liveness
public class HowdahLiveness implements HealthCheck {
    private final Installations installations;

    HowdahLiveness(Installations installations) {
        this.installations = installations;
    }

    @Override
    public HealthCheckResponse call() {
        InstallationLiveness liveness =
                InstallationLiveness.of(installations.used().values());
        HealthCheckResponseBuilder response =
                HealthCheckResponse.named("Howdah node").status(liveness.isLive());
        liveness.details().forEach(response::withData);
        return response.build();
    }
}
