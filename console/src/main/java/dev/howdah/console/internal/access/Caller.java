package dev.howdah.console.internal.access;

import dev.howdah.operations.Role;
import io.javalin.http.Context;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * The sender of a request.
 *
 * @param name such as {@code local}, {@code link}, {@code token:ci} or the name that an OpenID provider gives
 * @param role what it may do
 * @param via how it comes
 * @param address from which it comes
 * @param session of the browser; empty: it has none
 * @param queues those that it may use; empty: all
 * @param stands whether its login still holds as it is, asked for later by what takes long
 */
public record Caller(
        String name, Role role, Via via, String address, String session, List<String> queues, BooleanSupplier stands) {
    /** The name of all callers where no login is needed. */
    static final String LOCAL = "local";

    private static final String ATTRIBUTE = "howdah.caller";

    /** How a caller comes. */
    public enum Via {
        CONSOLE,
        API;

        /** As it stands in the audit table. */
        public String text() {
            return this == CONSOLE ? "console" : "api";
        }
    }

    /**
     * The caller of a request that was let in.
     *
     * @throws IllegalStateException if the request was not checked
     */
    public static Caller of(Context request) {
        Caller caller = request.attribute(ATTRIBUTE);
        if (caller == null) throw new IllegalStateException("the caller of " + request.path() + " was not checked");
        return caller;
    }

    /** Returns whether the caller of that request was found. */
    public static boolean isKnown(Context request) {
        return request.attribute(ATTRIBUTE) != null;
    }

    /** Returns whether it came without a login, which was not needed: any program of this machine may be that caller. */
    public boolean isLocal() {
        return name.equals(LOCAL);
    }

    /** Returns whether it may use that queue. */
    public boolean uses(String queue) {
        return queues.isEmpty() || queues.contains(queue);
    }

    void keep(Context request) {
        request.attribute(ATTRIBUTE, this);
    }

    /** @throws RefusedException if the caller's role does not cover that one */
    public void require(Role needed) {
        if (!role.covers(needed))
            throw new RefusedException(
                    403, "This needs the role " + needed.text() + "; " + name + " has the role " + role.text() + ".");
    }
}
