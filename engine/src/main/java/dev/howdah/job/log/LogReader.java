package dev.howdah.job.log;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A reader of a log queue. Safe for use by many threads.
 *
 * @param log the log queue
 * @param name null: the first reader, whose queue is the log queue itself
 * @param queue the queue of the reader: nodes that take from it run its jobs
 * @param waiting how many entries no node has claimed for it; counted up to a million
 * @param oldest when the first of these was added; null: there are none
 * @param running how many of its jobs run, or are claimed
 * @param keep for how long entries stay that all readers of the log queue have read
 * @param unread the size of the entries that no node has claimed for it, in bytes of whole pages
 * @param mostUnread the most bytes that a reader of the log queue may have to read; null: there is no bound
 */
public record LogReader(
        String log,
        @Nullable String name,
        String queue,
        long waiting,
        @Nullable Instant oldest,
        long running,
        Duration keep,
        long unread,
        @Nullable Long mostUnread) {}
