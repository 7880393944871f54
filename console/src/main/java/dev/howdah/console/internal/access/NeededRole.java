package dev.howdah.console.internal.access;

import dev.howdah.operations.Role;
import io.javalin.security.RouteRole;

/** The role that a route of Javalin needs. */
public record NeededRole(Role role) implements RouteRole {
    public static final NeededRole VIEWER = new NeededRole(Role.VIEWER);
    public static final NeededRole ADMINISTRATOR = new NeededRole(Role.ADMINISTRATOR);
}
