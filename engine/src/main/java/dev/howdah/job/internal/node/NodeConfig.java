package dev.howdah.job.internal.node;

import dev.howdah.job.internal.claim.ConcurrencyLimits;
import dev.howdah.job.internal.worker.WorkerThreads;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a node.
 *
 * @param name in tables and logs
 * @param version of the program; null: not known
 * @param queues to take from
 * @param concurrency how many jobs run at the same time at most
 * @param threads those that handlers run in
 * @param limits of each node of this program, beside those in the database
 */
public record NodeConfig(
        String name,
        @Nullable String version,
        Set<String> queues,
        int concurrency,
        WorkerThreads.Maker threads,
        List<ConcurrencyLimits.Limit> limits) {
    public NodeConfig {
        queues = Set.copyOf(queues);
        limits = List.copyOf(limits);
    }
}
