package dev.howdah.job.log;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Log queues. Jobs that are added to a log queue are entries of an append-only log: nodes claim them by ranges, and write no row for one
 * that is done. They begin in the order in which they were added, and have no priority, delay, key, order key or group. A job that is to be tried
 * again, and one that was given back, waits in a table, as the jobs of ordinary queues do.
 *
 * <p>A log queue has one reader to begin with, whose queue has its name. Each further reader gets each entry as well, as a job of a queue of its own,
 * {@code log/reader}. Nodes notice new log queues and readers within three seconds; programs that only add jobs notice new log queues when they start again, and add ordinary jobs until then.
 *
 * <p>Each method runs in a transaction of its own, and throws {@link dev.howdah.job.JobsException} if the database refuses it. Safe for use by many
 * threads.
 */
public interface LogQueues {
    /**
     * Makes a log queue, or changes for how long one keeps entries. Jobs that wait in a queue of that name run as before.
     *
     * @param keep for how long entries stay that all readers have read: 0 to 100 years. They go some time later, by segments
     * @throws IllegalArgumentException if it is out of bounds
     */
    void create(String queue, Duration keep);

    /**
     * Sets how much a reader of a log queue may have to read. While one has as much or more, jobs cannot be added: {@code add} throws
     * {@link LogQueueFullException}, and what SQL adds fails with SQLSTATE 53H01. What is looked at is the size of the pages that no node has claimed from
     * for that reader: callers that add at the same time can exceed the bound by what they add.
     *
     * @param bytes 1,048,576 or more
     * @throws IllegalArgumentException if it is out of bounds
     */
    void limitUnread(String queue, long bytes);

    /** Removes the bound of {@link #limitUnread}. */
    void unlimitUnread(String queue);

    /**
     * Adds a reader that gets what is added from now on. Does nothing if there is one of that name.
     *
     * @return the queue of the reader
     */
    String addReader(String queue, String reader);

    /**
     * Adds a reader that gets what was added since that time, as far as it is kept. Does nothing if there is one of that name.
     *
     * @return the queue of the reader
     */
    String addReader(String queue, String reader, Instant since);

    /**
     * Moves the first reader to what was added since that time, as far as it is kept: jobs before that are skipped, and jobs after that run
     * again. Jobs that run, or wait to be tried again, are not affected.
     */
    void seek(String queue, Instant since);

    /** As {@link #seek(String, Instant)}, for another reader. */
    void seek(String queue, String reader, Instant since);

    /** Drops a reader, but not the first one. Jobs of it that wait to be tried again stay in its queue. */
    void dropReader(String queue, String reader);

    /** Finds a log queue; empty: there is no queue of that name, or the queue is none. */
    Optional<LogQueue> find(String queue);

    /** Lists the readers of all log queues, by queue; the first reader of each comes first. */
    List<LogReader> readers();
}
