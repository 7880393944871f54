package dev.howdah.job.shard;

import dev.howdah.internal.run.Threads;
import dev.howdah.job.Jobs;
import dev.howdah.job.JobsException;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.job.query.JobSummary;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.concurrent.TimeoutException;
import javax.sql.DataSource;

/**
 * Jobs in several databases, the shards, for more than one PostgreSQL carries: each job goes to the database that its key belongs to, and the handlers of one program
 * work the jobs of all of them.
 *
 * <pre>{@code
 * try (ShardedJobs jobs = Jobs.on(Map.of("mail-1", one, "mail-2", two))
 *         .configure(shard -> shard.handle(WELCOME, (welcome, job) -> mail(welcome.email())))
 *         .start()) {
 *     jobs.add("customer-7", WELCOME, new Welcome("ann@example.com"));
 * }
 * }</pre>
 *
 * <p>A key belongs to the database for which SHA-256 of {@code shard/key} in UTF-8 is greatest, by the names of the shards alone: a further one takes 1/n of the keys
 * and moves no other. What {@link Jobs} promises holds within each database, and so for jobs that are added with the same key: unique
 * keys, order keys, groups. Limits and rates, the concurrency of a node, schedules, and connections are those of each database.
 *
 * <p>A database that cannot be reached stops no other one. Adding with a key that belongs to it fails, since the key belongs to no other.
 *
 * <p>Safe for use by many threads.
 */
public final class ShardedJobs implements AutoCloseable {
    private static final long START_NANOS = Duration.ofSeconds(10).toNanos();

    private final SortedMap<String, Shard> shards;
    private final ShardKeys keys;

    ShardedJobs(SortedMap<String, Shard> shards, ShardKeys keys) {
        this.shards = Collections.unmodifiableSortedMap(shards);
        this.keys = keys;
    }

    /**
     * Jobs in these databases. Nothing happens before {@link ShardedJobsBuilder#start}.
     *
     * @param databases their data sources by the names of the shards, 1 to 200 characters without {@code /}. Names are a part of where keys belong: an address may change, a name
     *     may not
     * @throws IllegalArgumentException if there is none, a shard cannot have such a name, or two have the same data source
     */
    public static ShardedJobsBuilder on(Map<String, ? extends DataSource> databases) {
        return new ShardedJobsBuilder(databases);
    }

    void begin() {
        for (Shard each : shards.values()) each.begin();
        long began = System.nanoTime();
        try {
            for (Shard each : shards.values()) each.awaitTried(START_NANOS - (System.nanoTime() - began));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new JobsException("interrupted while jobs were started in " + shards.keySet(), e);
        }
        JobsException none = null;
        for (Shard each : shards.values()) {
            RuntimeException failure = each.failure();
            if (failure != null && !(failure.getCause() instanceof SQLException)) throw failure;
            if (failure != null && none == null) none = failed(each.name(), failure);
        }
        if (!reached().isEmpty()) return;
        throw none == null ? new JobsException("no database has answered: " + shards.keySet()) : none;
    }

    private static JobsException failed(String shard, RuntimeException e) {
        return new JobsException("shard " + shard + ": " + e.getMessage(), e);
    }

    private Set<String> reached() {
        Set<String> names = new TreeSet<>();
        for (Shard each : shards.values()) if (each.isReached()) names.add(each.name());
        return names;
    }

    /** Returns the names of the shards, sorted. */
    public Set<String> shards() {
        return shards.keySet();
    }

    /** Returns the names of the shards whose databases could not be used since the start. They are tried again each second. */
    public Set<String> notReached() {
        Set<String> names = new TreeSet<>(shards.keySet());
        names.removeAll(reached());
        return names;
    }

    /**
     * Returns the name of the shard that a key belongs to.
     *
     * @param key 1 to 400 characters
     * @throws IllegalArgumentException if it is empty, longer, or has the character 0
     */
    public String shardOf(String key) {
        return keys.shardOf(key);
    }

    /**
     * Returns the jobs of one database, with all that these can do: add in a transaction, add many, look and change. It is closed with this object.
     *
     * @throws IllegalArgumentException if there is no such shard
     * @throws JobsException if its database could not be used since the start
     */
    public Jobs shard(String name) {
        Shard shard = shards.get(name);
        if (shard == null) throw new IllegalArgumentException("there is no shard " + name + " but " + shards.keySet());
        return shard.jobs();
    }

    /** Returns the jobs of the database that a key belongs to: {@link #shard} of {@link #shardOf}. */
    public Jobs forKey(String key) {
        return shard(shardOf(key));
    }

    /**
     * Adds a job to the database that the key belongs to, as {@link Jobs#add(Kind, Object)} does.
     *
     * @param key such as a customer; 1 to 400 characters. It chooses the database only, and is not kept
     * @return the id of the job
     * @throws IllegalArgumentException if the key is empty or longer, or the payload cannot be converted to JSON
     * @throws JobsException if the database refuses it or cannot be reached; if the connection is lost meanwhile, the job may have been added
     */
    public <T> ShardJobId add(String key, Kind<T> kind, T payload) {
        return add(key, NewJob.of(kind, payload)).id();
    }

    /**
     * Adds a job to the database that the key belongs to, as {@link Jobs#add(NewJob)} does. A {@linkplain NewJob#key key of the job} is unique, and an {@linkplain NewJob#orderKey
     * order key} keeps an order, among the jobs of that database: give the same first argument with it, such as that key itself.
     *
     * @param key such as a customer; 1 to 400 characters. It chooses the database only, and is not kept
     * @return the id, and whether the job was added: always, without a key of its own
     * @throws IllegalArgumentException if the key is empty or longer, or the payload cannot be converted to JSON
     * @throws JobsException if the database refuses it or cannot be reached; if the connection is lost meanwhile, the job may have been added
     */
    public ShardAddResult add(String key, NewJob<?> job) {
        String name = shardOf(key);
        Jobs jobs = shard(name);
        try {
            var result = jobs.add(job);
            return new ShardAddResult(new ShardJobId(name, result.id()), result.added());
        } catch (JobsException e) {
            throw failed(name, e);
        }
    }

    /**
     * Returns a job that waits, runs or has ended, if it is there.
     *
     * @throws IllegalArgumentException if there is no such shard
     * @throws JobsException if its database cannot be asked
     */
    public Optional<JobSummary> find(ShardJobId id) {
        Jobs jobs = shard(id.shard());
        try {
            return jobs.admin().find(id.id());
        } catch (JobsException e) {
            throw failed(id.shard(), e);
        }
    }

    /**
     * Waits until a job is done, failed or cancelled, as {@link Jobs#await} does.
     *
     * @throws IllegalArgumentException if there is no such shard
     * @throws TimeoutException if it has not ended by then; it goes on
     * @throws InterruptedException if the thread is interrupted; the job goes on
     * @throws JobsException if there is no such job any more, or its database cannot be asked
     */
    public JobSummary await(ShardJobId id, Duration timeout) throws InterruptedException, TimeoutException {
        Jobs jobs = shard(id.shard());
        try {
            return jobs.await(id.id(), timeout);
        } catch (JobsException e) {
            throw failed(id.shard(), e);
        }
    }

    /** Closes the jobs of all databases as {@link Jobs#close} does, all at once. A second call does nothing. */
    @Override
    public void close() {
        List<Thread> closing = new ArrayList<>();
        for (Shard each : shards.values()) {
            Thread thread = Threads.daemon("howdah-shard-close-" + each.name(), each::close);
            thread.start();
            closing.add(thread);
        }
        boolean interrupted = false;
        for (Thread each : closing) interrupted |= !joined(each, closing);
        if (interrupted) Thread.currentThread().interrupt();
    }

    /** Waits in any case; an interrupt ends the waiting for handlers, as it does in {@link Jobs#close}. */
    private static boolean joined(Thread thread, List<Thread> closing) {
        boolean interrupted = false;
        while (true) {
            try {
                thread.join();
                return !interrupted;
            } catch (InterruptedException e) {
                interrupted = true;
                closing.forEach(Thread::interrupt);
            }
        }
    }
}
