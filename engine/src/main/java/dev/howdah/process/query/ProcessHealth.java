package dev.howdah.process.query;

import org.jspecify.annotations.Nullable;

/**
 * The health of the processes of a program.
 *
 * @param passing whether all is well
 * @param namespace with the error; null if there is none
 * @param error the reason; null if all is well
 */
public record ProcessHealth(
        boolean passing,
        @Nullable String namespace,
        @Nullable String error) {}
