package dev.howdah.job.internal.wait;

/**
 * The parameters of {@code child_link} in {@code wait.sql}.
 *
 * @param job the parent
 * @param kind its kind
 * @param first the number of the first record
 * @param kinds of the children
 * @param lasting whether they go on when the job fails or is cancelled
 */
record ChildLink(
        int node, long job, String kind, int first, String name, Long[] children, String[] kinds, boolean lasting) {}
