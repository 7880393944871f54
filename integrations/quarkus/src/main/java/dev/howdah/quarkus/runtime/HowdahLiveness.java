package dev.howdah.quarkus.runtime;

import dev.howdah.beans.internal.node.Installation;
import io.quarkus.datasource.common.runtime.DataSourceUtil;
import java.time.Duration;
import java.util.Map;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Liveness;

/** Whether a restart would help: a node is without its session for longer than the application allows. A node finds its session again by itself when the database is back. */
@Liveness
public class HowdahLiveness implements HealthCheck {
    private final Installations installations;

    HowdahLiveness(Installations installations) {
        this.installations = installations;
    }

    @Override
    public HealthCheckResponse call() {
        HealthCheckResponseBuilder response =
                HealthCheckResponse.named("Howdah node").up();
        for (Map.Entry<String, Installation> each : installations.used().entrySet()) {
            Duration most = installations.maxLost(each.getKey());
            Duration lost = each.getValue().lost();
            String prefix = DataSourceUtil.isDefault(each.getKey()) ? "" : each.getKey() + " ";
            response.withData(prefix + "lost", lost.toString());
            if (most != null && lost.compareTo(most) > 0) response.down();
        }
        return response.build();
    }
}
