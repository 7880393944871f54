package dev.howdah.process;

import org.jspecify.annotations.Nullable;

/**
 * Whether processes can be worked.
 *
 * @param passing whether all is well
 * @param namespace where it is not; null if all is well, or none is meant
 * @param error what is wrong there
 */
public record ProcessHealth(
        boolean passing,
        @Nullable String namespace,
        @Nullable String error) {}
