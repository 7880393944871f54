package dev.howdah.job.internal.wait;

import org.jspecify.annotations.Nullable;

/**
 * The parameters of {@code step_failed} in {@code wait.sql}.
 *
 * @param token of the claim
 * @param first the number of the first record
 * @param names of the steps, in the order in which they have failed
 * @param nths which of the failures of that name
 * @param thrown the classes of the exceptions
 * @param problems their messages
 */
record FailedSteps(
        int node,
        long token,
        long job,
        String kind,
        int first,
        String[] names,
        Integer[] nths,
        String[] thrown,
        @Nullable String[] problems) {}
