package dev.howdah.console.internal.access;

import dev.howdah.operations.Role;
import io.javalin.security.RouteRole;
import org.jspecify.annotations.Nullable;

/**
 * The role that a route of Javalin needs.
 *
 * @param also a role of programs that is enough; null: none
 * @param action in the audit table; null: the route changes nothing that is written down
 */
public record NeededRole(
        Role role, @Nullable String action, @Nullable Role also) implements RouteRole {
    public NeededRole(Role role, @Nullable String action) {
        this(role, action, null);
    }

    public static final NeededRole VIEWER = new NeededRole(Role.VIEWER, null);
    public static final NeededRole ADMINISTRATOR = new NeededRole(Role.ADMINISTRATOR, null);
}
