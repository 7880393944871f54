package dev.howdah.quarkus.runtime;

import dev.howdah.beans.internal.node.Installation;
import dev.howdah.beans.internal.node.InstallationHealth;
import io.quarkus.datasource.common.runtime.DataSourceUtil;
import java.util.Map;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Readiness;

/** Whether the nodes of the application work, and whether what waits is not too old. */
@Readiness
public class HowdahReadiness implements HealthCheck {
    private final Installations installations;

    HowdahReadiness(Installations installations) {
        this.installations = installations;
    }

    @Override
    public HealthCheckResponse call() {
        HealthCheckResponseBuilder response =
                HealthCheckResponse.named("Howdah health check").up();
        for (Map.Entry<String, Installation> each : installations.used().entrySet()) {
            InstallationHealth health = InstallationHealth.of(each.getValue());
            String prefix = DataSourceUtil.isDefault(each.getKey()) ? "" : each.getKey() + " ";
            health.flat().forEach((name, value) -> response.withData(prefix + name, value));
            String error = health.error();
            if (error != null) response.withData(prefix + "error", error).down();
        }
        return response.build();
    }
}
