package dev.howdah.reach;

import org.jspecify.annotations.Nullable;

/**
 * A step of {@linkplain ReachProbe trying} a target.
 *
 * @param name of it: {@code target}, {@code place}, {@code credential}, {@code private}, {@code dns}, {@code tcp}, {@code tls}, {@code smtp},
 *     {@code host key}, {@code login}, {@code program} or {@code database}
 * @param detail what was seen, without a secret
 * @param hint what may be done; null where there is nothing to add
 */
public record ReachStep(
        String name,
        Outcome outcome,
        String detail,
        @Nullable String hint) {
    /** How a step has ended. */
    public enum Outcome {
        /** As it should. */
        OK,
        /** It was not made, since more than a connection would be needed for it. */
        SKIPPED,
        /** A task would fail in the same way. */
        FAILED
    }
}
