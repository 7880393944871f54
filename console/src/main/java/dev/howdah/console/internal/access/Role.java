package dev.howdah.console.internal.access;

import io.javalin.security.RouteRole;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What a caller may do; as a role of a Javalin route, what the route needs. Each may do all that those before it may, but a worker: it
 * may do nothing that others may, save an administrator.
 */
public enum Role implements RouteRole {
    /** Claims jobs by the HTTP API and says how they ended; sees and does nothing else. */
    WORKER,
    /** Sees everything, and changes nothing. */
    VIEWER,
    /** Also pauses, resumes, limits, retries, cancels and repairs. */
    OPERATOR,
    /** Also adds, edits and deletes, and manages tokens. */
    ADMINISTRATOR;

    /** Returns whether a caller of this role may do what needs that one. */
    public boolean covers(Role needed) {
        if (needed == WORKER) return this == WORKER || this == ADMINISTRATOR;
        return this != WORKER && compareTo(needed) >= 0;
    }

    /** The name in configuration, tables and messages. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The role of that name; empty: there is none. */
    public static Optional<Role> of(String name) {
        return Arrays.stream(values()).filter(each -> each.text().equals(name)).findFirst();
    }

    /** All names, for messages. */
    public static String names() {
        return Arrays.stream(values()).map(Role::text).collect(Collectors.joining(", "));
    }
}
