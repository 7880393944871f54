package dev.howdah.console.internal.agent;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.operations.Role;

/**
 * A route as a tool.
 *
 * @param schema of its arguments
 * @param isAsked whether a person is asked before it
 */
public record AgentTool(ApiRoute route, ObjectNode schema, boolean isAsked) {
    public String name() {
        return route.operation();
    }

    public String words() {
        return route.words();
    }

    /** What a caller needs. */
    public Role role() {
        return route.role();
    }

    public boolean isReading() {
        return route.audit() == null;
    }

    /** Its path below {@code /api/v1}, with names in braces. */
    public String path() {
        return route.path();
    }
}
