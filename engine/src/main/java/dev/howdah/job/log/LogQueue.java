package dev.howdah.job.log;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A log queue as it is set.
 *
 * @param keep for how long entries stay that all readers have read
 * @param mostUnread the most bytes that a reader may have to read; null: there is no bound
 * @param readers the names of the readers behind the first one, which has none
 */
public record LogQueue(String name, Duration keep, @Nullable Long mostUnread, List<String> readers) {
    public LogQueue {
        readers = List.copyOf(readers);
    }
}
