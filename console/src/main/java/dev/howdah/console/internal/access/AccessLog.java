package dev.howdah.console.internal.access;

import dev.howdah.operations.Role;
import org.jspecify.annotations.Nullable;

/** Learns of logins. Safe for use by many threads; throws nothing. */
public interface AccessLog {
    /** A session was opened, or ended. */
    void session(Caller caller, String action);

    /**
     * A change was refused for the role of its caller.
     *
     * @param object such as {@code jobs/42}; null: none
     */
    void refused(Caller caller, String action, @Nullable String object, Role needed);

    /** A login, or a change, was refused. */
    void refused(String name, Caller.Via via, String address, String action, String why);
}
