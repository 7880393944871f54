package dev.howdah.daemon.log;

import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/** Writes events of the log. */
interface LogLines {
    /** Writes one event in one piece, so that those of several threads do not mix. */
    void write(Level level, String logger, @Nullable String message, @Nullable Throwable thrown);
}
