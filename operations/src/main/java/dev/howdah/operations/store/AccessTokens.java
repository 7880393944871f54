package dev.howdah.operations.store;

/** The tokens of the console and the HTTP API, which operations revoke. Safe for use by many threads. */
@FunctionalInterface
public interface AccessTokens {
    /** Revokes the token of that name; false: there is none that is accepted. */
    boolean revoke(String name);
}
