package dev.howdah.console.internal.access;

/** Learns of logins. Safe for use by many threads; throws nothing. */
public interface AccessLog {
    /** A session was opened, or ended. */
    void session(Caller caller, String action);

    /** A login, or a change, was refused. */
    void refused(String name, Caller.Via via, String address, String action, String why);
}
