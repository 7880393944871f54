package dev.howdah.job.shard;

import dev.howdah.job.Jobs;
import dev.howdah.job.JobsBuilder;
import dev.howdah.job.JobsException;
import dev.howdah.spi.Metrics;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import javax.sql.DataSource;

/** The databases, handlers and settings of a {@link ShardedJobs}. Not safe for use by many threads. */
public final class ShardedJobsBuilder {
    private final SortedMap<String, JobsBuilder> builders = new TreeMap<>();
    private final Set<String> draining = new TreeSet<>();

    ShardedJobsBuilder(Map<String, ? extends DataSource> databases) {
        if (databases.isEmpty()) throw new IllegalArgumentException("at least one database is needed, not none");
        Map<DataSource, String> known = new IdentityHashMap<>();
        databases.forEach((name, source) -> {
            ShardKeys.checkName(Objects.requireNonNull(name, "the name of a shard is needed, not null"));
            Objects.requireNonNull(source, () -> "shard " + name + " needs a data source, not null");
            String other = known.put(source, name);
            if (other != null)
                throw new IllegalArgumentException(
                        "shards " + other + " and " + name + " have the same data source: each needs its own database");
            builders.put(name, Jobs.on(source));
        });
    }

    /**
     * Registers handlers and sets options, for all databases alike: {@code shard -> shard.handle(MAIL, ...).concurrency(20)}. Handlers are called with
     * jobs of all of them. Numbers are those of each database: with a concurrency of 20, four databases run 80 jobs at a time at most.
     *
     * @param settings called with the builder of each shard, in the order of their names, before this method returns
     */
    public ShardedJobsBuilder configure(Consumer<JobsBuilder> settings) {
        return configure((name, builder) -> settings.accept(builder));
    }

    /** As {@link #configure(Consumer)}, with the name of the shard: for what differs, such as {@link JobsBuilder#sessionDataSource}. */
    public ShardedJobsBuilder configure(BiConsumer<String, JobsBuilder> settings) {
        builders.forEach(settings);
        return this;
    }

    /** Sets the receiver of metrics of all databases, as {@link JobsBuilder#metrics} does, with a label {@code shard}. */
    public ShardedJobsBuilder metrics(Metrics to) {
        Objects.requireNonNull(to, "metrics are needed, not null: Metrics.none() discards them");
        return configure((name, builder) -> builder.metrics(new ShardMetrics(to, name)));
    }

    /**
     * Lets no key belong to these databases; their jobs are worked and found as before. For the steps in which a database is added, before keys go to it, or
     * removed, until it is empty.
     *
     * @throws IllegalArgumentException if there is no such shard
     * @throws IllegalStateException if none is left for keys
     */
    public ShardedJobsBuilder drain(String... shards) {
        for (String each : shards) {
            if (!builders.containsKey(each))
                throw new IllegalArgumentException("there is no shard " + each + " but " + builders.keySet());
            draining.add(each);
        }
        if (draining.size() == builders.size())
            throw new IllegalStateException("all shards are drained, so that no key belongs to one: " + draining);
        return this;
    }

    /**
     * Starts with each database as {@link JobsBuilder#start} does, all at once. Begins without those that cannot be used, or do not answer within ten seconds, and
     * tries these again each second until they can.
     *
     * @throws JobsException if none can be used, or a data source lends sessions for a transaction only
     */
    public ShardedJobs start() {
        Set<String> forKeys = new TreeSet<>(builders.keySet());
        forKeys.removeAll(draining);
        SortedMap<String, Shard> shards = new TreeMap<>();
        builders.forEach((name, builder) -> shards.put(name, new Shard(name, builder)));
        ShardedJobs made = new ShardedJobs(shards, new ShardKeys(forKeys));
        try {
            made.begin();
            return made;
        } catch (RuntimeException e) {
            made.close();
            throw e;
        }
    }
}
