package dev.howdah.reach;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One thing that the {@linkplain ReachSettings settings} say.
 *
 * @param kind what it is
 * @param name of a credential, proxy, program or database; null for what has none
 * @param target to which it applies, in the form of the settings
 * @param owners roles for whose tasks it is, in their order; {@code *} alone for every role; empty where it depends on a place
 * @param detail more about it, without a secret; null if there is no more
 */
public record ReachRule(
        Kind kind,
        @Nullable String name,
        String target,
        List<String> owners,
        @Nullable String detail) {
    /** What a rule is. */
    public enum Kind {
        /** A place that may be reached. */
        PLACE,
        /** A place that may have a private address. */
        PRIVATE,
        /** A credential, at one of its places. */
        CREDENTIAL,
        /** An address from which mails may be. */
        SENDER,
        /** A key that signs the mails of a domain. */
        DKIM,
        /** A program of this machine. */
        PROGRAM,
        /** A database with a driver of its own. */
        DATABASE,
        /** How many tasks a place gets. */
        LIMIT,
        /** A proxy, at one of its places. */
        PROXY,
        /** A host that may use what is weak today. */
        LEGACY
    }
}
