package dev.howdah.job.internal.wait;

import org.jspecify.annotations.Nullable;

/**
 * The parameters of {@code child_link} in {@code wait.sql}.
 *
 * @param job the parent
 * @param kind its kind
 * @param first the number of the first record
 * @param kinds of the children
 * @param parentEnd what becomes of them at the end of the job, as in {@code howdah_internal.job_record}
 */
record ChildLink(
        int node,
        long job,
        String kind,
        int first,
        String name,
        Long[] children,
        String[] kinds,
        @Nullable String parentEnd) {}
