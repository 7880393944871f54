package dev.howdah.benchmarks.scaling;

/**
 * What statements cost the server. Times are microseconds of processor time.
 *
 * @param add of a job, added in steps of 5,000
 * @param work of a job, claimed and settled in large batches
 * @param single of a job that is added, claimed and settled alone
 * @param bulkWal bytes of the server's log for a job that is added in steps and worked in batches
 * @param start of a node: its connections and first statements
 * @param idle of a node that has nothing to do, for each second, without its look for dead nodes
 * @param watch the look of a node for dead ones among the next 64
 * @param ring a notification, without those that listen
 * @param heard for each session that listens
 * @param sessionMegabytes memory that a session has for itself
 */
record ServerCosts(
        double add,
        double work,
        double single,
        double bulkWal,
        double start,
        double idle,
        double watch,
        double ring,
        double heard,
        double sessionMegabytes) {}
