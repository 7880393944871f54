package dev.howdah.job.log;

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
 */
public record LogReader(
        String log,
        @Nullable String name,
        String queue,
        long waiting,
        @Nullable Instant oldest,
        long running) {}
