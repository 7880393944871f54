package dev.howdah.spring.internal.actuate;

import java.util.Map;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/** {@code /actuator/howdah}: the nodes of this application, and the queues and schedules of the database. */
@Endpoint(id = "howdah")
public final class HowdahEndpoint {
    private final NodeReport report;

    public HowdahEndpoint(NodeReport report) {
        this.report = report;
    }

    /** For the actuator. */
    @ReadOperation
    public Map<String, Object> howdah() {
        return report.queuesAndSchedules();
    }
}
